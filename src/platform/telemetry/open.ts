import type { Config } from '#platform/config'
import { combined, type Telemetry, type TelemetryPart } from '#platform/telemetry/observer'

/**
 * The metrics, traces and sent log lines that the settings enable. Undefined, with nothing loaded,
 * if they enable none. `onFault` is called if something could not be sent.
 */
export async function openTelemetry(
  { metrics, collector, node_name, trusted_proxies, workers }: Config,
  onFault: (error: Error, what: 'traces' | 'log lines') => void,
): Promise<Telemetry | undefined> {
  const parts: TelemetryPart[] = []
  if (metrics) {
    const { openMetrics } = await import('#platform/telemetry/metrics')
    parts.push(openMetrics({ ...metrics, workers }))
  }
  if (collector) {
    const { openTraces } = await import('#platform/telemetry/traces')
    const settings = { ...collector, node_name, trusted_proxies }
    parts.push(openTraces(settings, (error) => onFault(error, 'traces')))
  }
  const telemetry = combined(parts)
  if (!telemetry || !collector?.receives_log) return telemetry
  const { openSentLog } = await import('#platform/telemetry/logs')
  const log = openSentLog({ ...collector, node_name }, (error) => onFault(error, 'log lines'))
  return {
    ...telemetry,
    sendLine: log.send,
    async close() {
      await Promise.all([telemetry.close(), log.close()])
    },
  }
}
