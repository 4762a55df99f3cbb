import { once } from 'node:events'
import { createServer, type RequestListener, type Server } from 'node:http'
import type { Attributes, BatchObservableResult, Meter, Observable } from '@opentelemetry/api'
import { PrometheusExporter } from '@opentelemetry/exporter-prometheus'
import {
  AggregationTemporality,
  type CollectionResult,
  InstrumentType,
  MeterProvider,
} from '@opentelemetry/sdk-metrics'
import { databaseFault } from '#platform/db'
import type {
  MetricSource,
  Mode,
  Observer,
  Reading,
  TelemetryPart,
  WorkKind,
} from '#platform/telemetry/observer'
import { reportProcess } from '#platform/telemetry/process-metrics'
import { withTimeout } from '#platform/with-timeout'

/** Where scrapes are answered. */
export interface MetricsSettings {
  port: number
  host: string
  /** The processes of this node: each answers on a port of its own, `port` and those after it. */
  workers: number
}

const FRESH_MS = 15_000
/** A scrape is answered with what is known after this time; readiness is known before. */
const ANSWER_WITHIN_MS = 1_900
/**
 * The most label combinations of one metric: about 300 routes with their methods and status
 * classes.
 */
const MAX_SERIES = 8_000
const BUCKETS = [0.005, 0.025, 0.1, 0.25, 0.5, 1, 2.5, 5, 10]
const FAULTS = ['unavailable', 'conflict', 'serialization', 'other'] as const
const METHODS = new Set(['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'])

/** Metrics for Prometheus, on a separate port. */
export function openMetrics(settings: MetricsSettings): TelemetryPart {
  const exporter = new CurrentValues({
    preventServerStart: true,
    withoutScopeInfo: true,
    withoutTargetInfo: true,
  })
  const views = [{ instrumentName: '*', aggregationCardinalityLimit: MAX_SERIES }]
  const provider = new MeterProvider({ readers: [exporter], views })
  const meter = provider.getMeter('purser')
  const instruments = instrumentsOf(meter)
  const addSource = openSources(meter)
  const stopProcess = reportProcess(meter)
  const server = createServer(answerScrapes(exporter))
  return {
    of: (mode) => observerOf(mode, instruments, (source) => addSource(mode, source)),
    listen: () => listenOnFree(server, settings),
    async close() {
      stopProcess()
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
      await provider.shutdown()
    },
  }
}

/**
 * An exporter of what is observed at a scrape. By default it also repeats values that a gauge had
 * before: those of an alarm that was resolved, and of a figure that cannot be read now.
 */
class CurrentValues extends PrometheusExporter {
  #running: Promise<CollectionResult> | undefined

  override selectAggregationTemporality(type: InstrumentType): AggregationTemporality {
    return type === InstrumentType.OBSERVABLE_GAUGE
      ? AggregationTemporality.DELTA
      : super.selectAggregationTemporality(type)
  }

  /** Scrapes at the same time get the same answer: what was observed is only exported once. */
  override collect(...options: Parameters<PrometheusExporter['collect']>) {
    this.#running ??= super.collect(...options).finally(() => {
      this.#running = undefined
    })
    return this.#running
  }
}

/** Listens on the first free port of the node's processes; throws if none is free. */
async function listenOnFree(
  server: Server,
  { port, host, workers }: MetricsSettings,
): Promise<void> {
  for (let own = port; ; own++) {
    try {
      // Exclusive: the processes of a cluster would share the port, and their metrics would
      // alternate.
      server.listen({ port: own, host, exclusive: true })
      await once(server, 'listening')
      return
    } catch (error) {
      const isTaken = (error as NodeJS.ErrnoException).code === 'EADDRINUSE'
      if (!isTaken || port === 0 || own + 1 >= port + workers) throw error
    }
  }
}

function answerScrapes(exporter: PrometheusExporter): RequestListener {
  return (request, response) => {
    const [path] = (request.url ?? '').split('?')
    if (path === '/metrics' && request.method === 'GET') {
      exporter.getMetricsRequestHandler(request, response)
    } else {
      response.writeHead(404, { 'content-type': 'text/plain' }).end('Metrics are at /metrics.\n')
    }
  }
}

type Instruments = ReturnType<typeof instrumentsOf>

function instrumentsOf(meter: Meter) {
  const seconds = (name: string, description: string) =>
    meter.createHistogram(name, { description, advice: { explicitBucketBoundaries: BUCKETS } })
  return {
    requests: seconds(
      'purser_http_request_duration_seconds',
      'HTTP requests by route pattern, method and class of the status.',
    ),
    calls: seconds(
      'purser_processor_call_duration_seconds',
      'Calls of the payment processor by operation and outcome.',
    ),
    jobs: seconds('purser_job_duration_seconds', 'Runs of jobs, schedules and polls by outcome.'),
    emails: meter.createCounter('purser_emails_total', {
      description: 'Attempts to send an email by outcome.',
    }),
    faults: meter.createCounter('purser_db_statement_errors_total', {
      description: 'Statements that the database did not execute, by kind of error.',
    }),
    fallbacks: meter.createCounter('purser_limiter_fallbacks_total', {
      description: 'Rate limits counted in this process, as Valkey did not answer.',
    }),
  }
}

type RecordEnd = (name: string, outcome: string, seconds: number) => void

function observerOf(
  mode: Mode,
  { requests, calls, jobs, emails, faults, fallbacks }: Instruments,
  report: Observer['report'],
): Observer {
  // A counter is only exported once it has a value.
  for (const kind of FAULTS) faults.add(0, { kind, mode })
  for (const outcome of ['sent', 'failed']) emails.add(0, { outcome, mode })
  fallbacks.add(0, { mode })
  const recordJob: RecordEnd = (job, outcome, seconds) =>
    jobs.record(seconds, { job, outcome, mode })
  const recordEnd: Partial<Record<WorkKind, RecordEnd>> = {
    processor: (operation, outcome, seconds) => calls.record(seconds, { operation, outcome, mode }),
    job: recordJob,
    poll: recordJob,
    email: (_name, outcome) =>
      emails.add(1, { outcome: outcome === 'ok' ? 'sent' : outcome, mode }),
  }
  return {
    onRequest: (_request, next) => next(),
    onResponse(request, reply) {
      const { url } = request.routeOptions
      requests.record(reply.elapsedTime / 1000, {
        route: url ?? 'unknown',
        method: METHODS.has(request.method) ? request.method : 'other',
        status: `${Math.floor(reply.statusCode / 100)}xx`,
        mode,
      })
    },
    async observe(kind, name, work, outcomeOf) {
      const end = recordEnd[kind]
      const start = end ? performance.now() : 0
      try {
        const result = await work()
        end?.(name(), 'ok', (performance.now() - start) / 1000)
        return result
      } catch (error) {
        if (end) end(name(), outcomeOf?.(error) ?? 'failed', (performance.now() - start) / 1000)
        else faults.add(1, { kind: databaseFault(error), mode })
        throw error
      }
    },
    onFallback: () => fallbacks.add(1, { mode }),
    report,
  }
}

/** Registers sources of metrics. Each is read once per scrape, however many metrics it has. */
function openSources(meter: Meter): (mode: Mode, source: MetricSource) => void {
  const gauges = new Map<string, Observable>()
  const isCurrent = meter.createObservableGauge('purser_figures_current', {
    description: '1 if the metrics from the database were read within the last 15 seconds, else 0.',
  })
  return (mode, source) => {
    for (const { name, help } of source.specs) {
      if (!gauges.has(name)) {
        gauges.set(name, meter.createObservableGauge(name, { description: help }))
      }
    }
    const stored = cached(source.stored)
    const observe = async (result: BatchObservableResult) => {
      const [live, kept] = await Promise.all([known(source.now()), known(stored())])
      const labeled = (labels?: Attributes) => ({ ...labels, mode })
      result.observe(isCurrent, kept ? 1 : 0, labeled())
      for (const { name, value, labels } of [...(live ?? []), ...(kept ?? [])]) {
        result.observe(gauges.get(name)!, value, labeled(labels))
      }
    }
    meter.addBatchObservableCallback(observe, [isCurrent, ...gauges.values()])
  }
}

/** Reads at most every 15 seconds, and never twice at once; a failed read is tried again. */
function cached(read: () => Promise<Reading[]>): () => Promise<Reading[]> {
  let known: { at: number; readings: Promise<Reading[]> } | undefined
  return () => {
    const at = performance.now()
    if (!known || at - known.at > FRESH_MS) {
      const mine = { at, readings: read() }
      known = mine
      mine.readings.catch(() => {
        // The next scrape tries again, and this one reports that the metrics are missing.
        if (known === mine) known = undefined
      })
    }
    return known.readings
  }
}

/** The readings, or undefined if they failed or are late: a scrape never waits for a database. */
async function known(readings: Promise<Reading[]>): Promise<Reading[] | undefined> {
  return await withTimeout(readings, ANSWER_WITHIN_MS).catch(() => undefined)
}
