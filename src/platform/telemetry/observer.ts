import type { LogContext } from '#platform/log'
import type { ServedReply, ServedRequest } from '#platform/served-request'

/** Which world something happens in: the service's own, or the test mode beside it. */
export type Mode = 'live' | 'test'

/** What takes time: a statement, a call of the processor, an email, a job, a poll for work. */
export type WorkKind = 'statement' | 'processor' | 'email' | 'job' | 'poll'

/** Receives what a world does, for metrics and traces. Without either, there is none. */
export interface Observer {
  /** A request arrives; `next` continues with it. */
  onRequest(request: ServedRequest, next: () => void): void
  /** A request was answered, or its caller left. */
  onResponse(request: ServedRequest, reply: ServedReply): void
  /**
   * Does work and takes note of its time and outcome. `name` is one of a closed set, without
   * values; `outcomeOf` names the outcome of an error.
   */
  observe<Result>(
    kind: WorkKind,
    name: () => string,
    work: () => Promise<Result>,
    outcomeOf?: (error: unknown) => string,
  ): Promise<Result>
  /** A limit was counted in this process, as the store that processes share did not answer. */
  onFallback(): void
  /** Adds a source of metrics that is read at each scrape. */
  report(source: MetricSource): void
}

/** A metric that is read when it is scraped. */
export interface MetricSpec {
  name: string
  help: string
}

/** The value of a metric. Its labels have closed sets of values. */
export interface Reading {
  name: string
  value: number
  labels?: Record<string, string>
}

/** A source of metrics about a world. */
export interface MetricSource {
  specs: readonly MetricSpec[]
  /** What this process knows, read at each scrape within two seconds. */
  now(): Promise<Reading[]>
  /** What the database knows, read every 15 seconds at most. */
  stored(): Promise<Reading[]>
}

/** The metrics, traces and sent log lines of this process. */
export interface Telemetry {
  /** The observer of a world. */
  of(mode: Mode): Observer
  /** The trace that a log line belongs to. */
  context: LogContext | undefined
  /** Sends a line of the log, too; undefined if lines are only written. */
  sendLine?: (line: string) => void
  /** Starts answering scrapes. */
  listen(): Promise<void>
  /** Sends what was not sent yet, and stops. */
  close(): Promise<void>
}

/** One part of telemetry: metrics or traces. */
export interface TelemetryPart extends Omit<Telemetry, 'of' | 'context' | 'sendLine'> {
  of(mode: Mode): Observer
  context?: LogContext
}

/** The same work, observed; itself without an observer. */
export function observed(
  kind: WorkKind,
  name: string,
  work: () => Promise<void>,
  observer: Observer | undefined,
): () => Promise<void> {
  return observer ? () => observer.observe(kind, () => name, work) : work
}

/** Several parts as one. */
export function combined([first, ...others]: readonly TelemetryPart[]): Telemetry | undefined {
  if (!first) return undefined
  const second = combined(others)
  if (!second) return { ...first, context: first.context }
  return {
    of(mode) {
      const [outer, inner] = [first.of(mode), second.of(mode)]
      return {
        onRequest: (request, next) =>
          outer.onRequest(request, () => inner.onRequest(request, next)),
        onResponse(request, reply) {
          outer.onResponse(request, reply)
          inner.onResponse(request, reply)
        },
        observe: (kind, name, work, outcomeOf) =>
          outer.observe(kind, name, () => inner.observe(kind, name, work, outcomeOf), outcomeOf),
        onFallback() {
          outer.onFallback()
          inner.onFallback()
        },
        report(source) {
          outer.report(source)
          inner.report(source)
        },
      }
    },
    context: first.context ?? second.context,
    async listen() {
      await first.listen()
      await second.listen()
    },
    async close() {
      await Promise.all([first.close(), second.close()])
    },
  }
}
