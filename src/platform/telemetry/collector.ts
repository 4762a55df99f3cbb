import { type ExportResult, ExportResultCode } from '@opentelemetry/core'
import {
  defaultResource,
  detectResources,
  envDetector,
  type Resource,
  resourceFromAttributes,
} from '@opentelemetry/resources'
import type { TelemetrySettings } from '#platform/telemetry-settings'

/** A collector of traces and log lines, and the service that they are labeled with. */
export interface CollectorSettings extends Pick<TelemetrySettings, 'node_name'> {
  /** Its address, to which `/v1/traces` or `/v1/logs` is added. */
  endpoint: string
  /** Undefined: the name in `OTEL_RESOURCE_ATTRIBUTES`, or else `purser`. */
  service_name: string | undefined
}

/** A collector that does not answer must not keep a node from stopping. */
const FLUSH_MS = 2_000

/** What traces and log lines say about the process that sent them. */
export function resourceOf({ node_name, service_name }: CollectorSettings): Resource {
  const own = { 'host.name': node_name, ...(service_name && { 'service.name': service_name }) }
  const given = detectResources({ detectors: [envDetector] })
  return defaultResource()
    .merge(resourceFromAttributes({ 'service.name': 'purser' }))
    .merge(given)
    .merge(resourceFromAttributes(own))
}

/** Sends spans or log records, as the SDK's exporters do. */
interface Exporter<Item> {
  export(items: Item[], done: (result: ExportResult) => void): void
  shutdown(): Promise<void>
  forceFlush?(): Promise<void>
}

/**
 * The same exporter, whose failures are reported instead of being dropped: the first one, and the
 * first after each success. A report is a log line, which may have to be sent as well.
 */
export function reporting<Item>(
  exporter: Exporter<Item>,
  onFault: (error: Error) => void,
): Required<Exporter<Item>> {
  let isFailing = false
  return {
    export(items, done) {
      exporter.export(items, (result) => {
        const hasFailed = result.code === ExportResultCode.FAILED
        if (hasFailed && !isFailing) {
          onFault(result.error ?? new Error('the collector did not accept them'))
        }
        isFailing = hasFailed
        done(result)
      })
    },
    shutdown: () => exporter.shutdown(),
    forceFlush: async () => await exporter.forceFlush?.(),
  }
}

/** Sends what is left, but waits for the collector for two seconds at most. */
export async function shutDown(
  provider: { shutdown(): Promise<void> },
  onFault: (error: Error) => void,
): Promise<void> {
  let timer: NodeJS.Timeout | undefined
  const late = new Promise((resolve) => {
    timer = setTimeout(() => {
      onFault(new Error(`the collector did not answer within ${FLUSH_MS / 1000} seconds`))
      resolve(undefined)
    }, FLUSH_MS)
  })
  await Promise.race([provider.shutdown().catch(onFault), late])
  clearTimeout(timer)
}
