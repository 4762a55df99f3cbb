import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'

/** A span as a collector receives it. */
export interface ReceivedSpan {
  traceId: string
  spanId: string
  parentSpanId?: string
  name: string
  attributes: { key: string; value: { stringValue?: string; intValue?: number } }[]
  status: { code?: number }
}

/** A log record as a collector receives it. */
export interface ReceivedRecord {
  timeUnixNano: string
  severityNumber: number
  severityText: string
  body: { stringValue: string }
  attributes: { key: string; value: object }[]
  traceId?: string
  spanId?: string
}

/** A collector of traces and log lines on this machine. */
export interface OtlpReceiver {
  endpoint: string
  spans: ReceivedSpan[]
  records: ReceivedRecord[]
  /** Everything that was sent, as text. */
  text(): string
  close(): Promise<void>
}

interface Sent {
  resourceSpans?: { scopeSpans: { spans: ReceivedSpan[] }[] }[]
  resourceLogs?: { scopeLogs: { logRecords: ReceivedRecord[] }[] }[]
}

/** Starts a collector that keeps what it is sent. */
export async function openOtlpReceiver(): Promise<OtlpReceiver> {
  const spans: ReceivedSpan[] = []
  const records: ReceivedRecord[] = []
  const bodies: string[] = []
  const server: Server = createServer(async (request, response) => {
    const body = await text(request)
    bodies.push(body)
    const { resourceSpans = [], resourceLogs = [] } = JSON.parse(body) as Sent
    for (const { scopeSpans } of resourceSpans) {
      spans.push(...scopeSpans.flatMap((each) => each.spans))
    }
    for (const { scopeLogs } of resourceLogs) {
      records.push(...scopeLogs.flatMap((each) => each.logRecords))
    }
    response.writeHead(200, { 'content-type': 'application/json' }).end('{}')
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  return {
    endpoint: `http://127.0.0.1:${port}`,
    spans,
    records,
    text: () => bodies.join('\n'),
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}
