import type { Config } from '#platform/config'
import { type Telemetry, type TelemetryPart, together } from '#platform/telemetry/observer'

/**
 * The metrics and traces that the settings enable. Undefined, with nothing loaded, if they enable
 * neither. `onFault` is called if something could not be sent.
 */
export async function openTelemetry(
  { metrics, tracing, node_name, trusted_proxies, workers }: Config,
  onFault: (error: Error) => void,
): Promise<Telemetry | undefined> {
  const parts: TelemetryPart[] = []
  if (metrics) {
    const { openMetrics } = await import('#platform/telemetry/metrics')
    parts.push(openMetrics({ ...metrics, workers }))
  }
  if (tracing) {
    const { openTraces } = await import('#platform/telemetry/traces')
    parts.push(openTraces({ ...tracing, node_name, trusted_proxies }, onFault))
  }
  return together(parts)
}
