import assert from 'node:assert/strict'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import { type TestContext, test } from 'node:test'
import { readConfig } from '#platform/config'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'
import type { Telemetry } from '#platform/telemetry/observer'
import { openTelemetry } from '#platform/telemetry/open'
import { openOtlpReceiver } from '../support/otlp-receiver.ts'

// Guards R15: the log as a collector receives it.

const ENV = { NODE_ENV: 'test', SECRET_KEY: systemRandom.bytes(32).toString('hex') }

/** Telemetry that sends the log to a collector, and the log. */
async function openSent(endpoint: string, onFault: (error: Error, what: string) => void) {
  const settings = {
    ...ENV,
    OTEL_EXPORTER_OTLP_ENDPOINT: endpoint,
    OTEL_LOGS_EXPORTER: 'otlp',
    NODE_NAME: 'web-1',
  }
  const telemetry = (await openTelemetry(readConfig(settings, systemRandom), onFault))!
  return { telemetry, ...logOf(telemetry) }
}

function logOf({ context, sendLine }: Telemetry) {
  const lines: string[] = []
  const destination = { write: (line: string) => lines.push(line) }
  const origin = { node: 'web-1', role: 'web' } as const
  return { lines, log: openLog('info', destination, { origin, context, copy: sendLine }) }
}

async function receive(t: TestContext) {
  const receiver = await openOtlpReceiver()
  t.after(() => receiver.close())
  return receiver
}

test('a line is sent with its message, severity, time and fields, and is written as well', async (t) => {
  const receiver = await receive(t)
  const { telemetry, log, lines } = await openSent(receiver.endpoint, assert.fail)
  log.warn({ request_id: 'req_1', status: 503, error: new Error('no connection') }, 'not answered')
  log.debug('below the level')
  await telemetry.close()
  const [record, ...others] = receiver.records
  assert.deepEqual(others, [])
  const line = JSON.parse(lines[0]!)
  // Nanoseconds since 1970 have more digits than a number.
  assert.equal(Math.round(Number(record!.timeUnixNano) / 1_000_000), Date.parse(line.time))
  assert.deepEqual([record!.severityNumber, record!.severityText], [13, 'warn'])
  assert.equal(record!.body.stringValue, 'not answered')
  const fields = Object.fromEntries(record!.attributes.map(({ key, value }) => [key, value]))
  assert.deepEqual(fields.status, { intValue: 503 })
  assert.deepEqual(fields.request_id, { stringValue: 'req_1' })
  assert.match(JSON.stringify(fields.error), /no connection/)
  assert.match(receiver.text(), /web-1/)
})

test('a line has no secret and no email address', async (t) => {
  const receiver = await receive(t)
  const { telemetry, log } = await openSent(receiver.endpoint, assert.fail)
  const key = `key_${'a1'.repeat(11)}`
  log.info({ license_key: key, cookie: 'session=1234' }, `sent to robin@example.com with ${key}`)
  await telemetry.close()
  assert.equal(receiver.records.length, 1)
  for (const value of [key, '1234', 'robin']) assert.ok(!receiver.text().includes(value), value)
})

test('a line of a job belongs to the trace of the job', async (t) => {
  const receiver = await receive(t)
  const { telemetry, log } = await openSent(receiver.endpoint, assert.fail)
  const work = async () => log.info('inside')
  await telemetry.of('live').observe('job', () => 'retention', work)
  log.info('outside')
  await telemetry.close()
  const [inside, outside] = receiver.records
  const [span] = receiver.spans
  assert.deepEqual([inside!.traceId, inside!.spanId], [span!.traceId, span!.spanId])
  assert.ok(!outside!.traceId)
})

test('a collector that refuses lines is reported once, although the report is a line', async (t) => {
  const server = createServer((_request, response) => response.writeHead(400).end())
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  t.after(() => {
    server.closeAllConnections()
    server.close()
  })
  const { port } = server.address() as AddressInfo
  const faults: string[] = []
  const sent = await openSent(`http://127.0.0.1:${port}`, (error, what) => {
    faults.push(what)
    sent.log.warn({ error }, `${what} were not accepted by the collector`)
  })
  // The collector receives a batch as soon as it is full.
  for (let index = 0; index < 2_000; index++) sent.log.info({ index }, 'a line')
  await sent.telemetry.close()
  assert.deepEqual(faults, ['log lines'])
})

test('without the setting a collector receives traces alone', async () => {
  const settings = { ...ENV, OTEL_EXPORTER_OTLP_ENDPOINT: 'http://127.0.0.1:9' }
  const telemetry = await openTelemetry(readConfig(settings, systemRandom), () => {})
  assert.equal(telemetry!.sendLine, undefined)
  await telemetry!.close()
})
