import { monitorEventLoopDelay, performance } from 'node:perf_hooks'
import type { BatchObservableResult, Meter } from '@opentelemetry/api'

/** How often the event loop is asked whether it is late, in milliseconds. */
const RESOLUTION_MS = 10
const NS = 1e9

/** Reports the process and its event loop; returns how to stop. */
export function reportProcess(meter: Meter): () => void {
  const delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  delay.enable()
  let usage = performance.eventLoopUtilization()
  const gauge = (name: string, description: string) =>
    meter.createObservableGauge(name, { description })
  const cpu = meter.createObservableCounter('process_cpu_seconds_total', {
    description: 'CPU time of the process, in seconds.',
  })
  const resident = gauge('process_resident_memory_bytes', 'Resident memory of the process.')
  const heap = gauge('purser_heap_used_bytes', 'Memory of JavaScript objects.')
  const started = gauge('process_start_time_seconds', 'When the process started, in Unix time.')
  const late = gauge(
    'purser_event_loop_delay_seconds',
    'How late the event loop was since the last scrape, by percentile.',
  )
  const busy = gauge(
    'purser_event_loop_utilization_ratio',
    'The part of the time since the last scrape in which the event loop was busy, from 0 to 1.',
  )
  const observe = (result: BatchObservableResult) => {
    const { user, system } = process.cpuUsage()
    const { rss, heapUsed } = process.memoryUsage()
    result.observe(cpu, (user + system) / 1e6)
    result.observe(resident, rss)
    result.observe(heap, heapUsed)
    result.observe(started, performance.timeOrigin / 1000)
    for (const [percentile, ns] of [
      ['50', delay.percentile(50)],
      ['99', delay.percentile(99)],
      ['100', delay.max],
    ] as const) {
      // The delay counts from the last check: what is on time is as late as the checks are apart.
      result.observe(late, Math.max(0, ns / NS - RESOLUTION_MS / 1000), { percentile })
    }
    delay.reset()
    const now = performance.eventLoopUtilization()
    result.observe(busy, performance.eventLoopUtilization(now, usage).utilization)
    usage = now
  }
  meter.addBatchObservableCallback(observe, [cpu, resident, heap, started, late, busy])
  return () => void delay.disable()
}
