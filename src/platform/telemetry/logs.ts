import { type LogRecord, ROOT_CONTEXT, SeverityNumber, TraceFlags, trace } from '@opentelemetry/api'
import { OTLPLogExporter } from '@opentelemetry/exporter-logs-otlp-http'
import { BatchLogRecordProcessor, LoggerProvider } from '@opentelemetry/sdk-logs'
import {
  type CollectorSettings,
  reporting,
  resourceOf,
  shutDown,
} from '#platform/telemetry/collector'

/** Log lines on their way to a collector. */
export interface SentLog {
  /** Queues a line as the log writes it: JSON, without secrets. */
  send(line: string): void
  /** Sends what was not sent yet, and stops. */
  close(): Promise<void>
}

const SEVERITIES: Record<string, SeverityNumber> = {
  debug: SeverityNumber.DEBUG,
  info: SeverityNumber.INFO,
  warn: SeverityNumber.WARN,
  error: SeverityNumber.ERROR,
  fatal: SeverityNumber.FATAL,
}

/** Sends log lines by OTLP over HTTP, in batches. */
export function openSentLog(settings: CollectorSettings, onFault: (error: Error) => void): SentLog {
  const exporter = new OTLPLogExporter({ url: `${settings.endpoint}/v1/logs` })
  const processor = new BatchLogRecordProcessor({ exporter: reporting(exporter, onFault) })
  const provider = new LoggerProvider({ resource: resourceOf(settings), processors: [processor] })
  const logger = provider.getLogger('purser')
  return {
    send: (line) => logger.emit(recordOf(line)),
    close: () => shutDown(provider, onFault),
  }
}

/** A line as a record: its message is the body, and its other fields are attributes. */
function recordOf(line: string): LogRecord {
  const { level, time, msg, trace_id: traceId, span_id: spanId, ...attributes } = JSON.parse(line)
  const traceFlags = TraceFlags.SAMPLED
  return {
    timestamp: new Date(time),
    severityNumber: SEVERITIES[level] ?? SeverityNumber.UNSPECIFIED,
    severityText: level,
    body: msg,
    attributes,
    ...(traceId && {
      context: trace.setSpanContext(ROOT_CONTEXT, { traceId, spanId, traceFlags }),
    }),
  }
}
