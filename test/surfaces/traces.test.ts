import assert from 'node:assert/strict'
import { once } from 'node:events'
import { globSync, readFileSync } from 'node:fs'
import { createServer as createHttpServer, type RequestListener, request } from 'node:http'
import type { AddressInfo } from 'node:net'
import { text } from 'node:stream/consumers'
import { after, before, test } from 'node:test'
import { readConfig } from '#platform/config'
import { createServer } from '#platform/http'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'
import { operationOf } from '#platform/telemetry/observed-db'
import { openTelemetry } from '#platform/telemetry/open'
import { withTimeout } from '#platform/with-timeout'
import { type OtlpReceiver, openOtlpReceiver, type ReceivedSpan } from '../support/otlp-receiver.ts'
import { type Bought, buy } from '../support/refunds.ts'
import { openTestService } from '../support/service.ts'

// Guards R15: one purchase as a collector receives it.

let receiver: OtlpReceiver
let bought: Bought
before(async () => {
  receiver = await openOtlpReceiver()
  const service = await openTestService({
    settings: { OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, NODE_NAME: 'web-1' },
  })
  bought = await buy(service, { email: 'traced-buyer@example.com' })
  // What was not sent yet is sent before it stops.
  await service.close()
})
after(() => receiver?.close())

const attribute = ({ attributes }: ReceivedSpan, name: string) => {
  const { value } = attributes.find(({ key }) => key === name) ?? {}
  return value?.stringValue ?? value?.intValue
}

test('a request is a trace with its route, status and request id', () => {
  const confirm = receiver.spans.find(({ name }) => /^POST .*confirm/.test(name))!
  assert.equal(attribute(confirm, 'http.response.status_code'), 303)
  assert.match(`${attribute(confirm, 'purser.request_id')}`, /^req_\w{22}$/)
  assert.match(`${attribute(confirm, 'http.route')}`, /^\/.*:\w+/)
  assert.equal(confirm.parentSpanId, undefined)
})

test('has its statements and its call of the processor as children, also after its body', () => {
  const confirm = receiver.spans.find(({ name }) => /^POST .*confirm/.test(name))!
  const own = receiver.spans.filter(({ traceId }) => traceId === confirm.traceId)
  const names = own.map(({ name }) => name)
  assert.ok(names.includes('processor charge'), names.join())
  const recorded = 'statement insert invoices, insert invoice_lines, insert attempts'
  assert.ok(names.includes(recorded), names.join('; '))
  const charge = own.find(({ name }) => name === 'processor charge')!
  assert.equal(charge.parentSpanId, confirm.spanId)
})

test('spans have no value: no address, key, URL or text of a statement', () => {
  const sent = receiver.text()
  assert.match(sent, /web-1/)
  const card = '4242424242424242'
  for (const value of ['traced-buyer', bought.license_key, card, 'where ', '/buy/prc_']) {
    assert.ok(!sent.includes(value), value)
  }
  // Times and ids may have these digits by chance.
  const said = receiver.spans.map(({ name, attributes }) => JSON.stringify([name, attributes]))
  for (const value of [/\b4242\b/, /\b78701\b/]) assert.doesNotMatch(said.join(), value)
})

test('a log line of a request names its trace, which continues that of a trusted proxy', async () => {
  const telemetry = (await openTelemetry(
    readConfig(
      { ...TRACED, OTEL_EXPORTER_OTLP_ENDPOINT: receiver.endpoint, TRUST_PROXY: '127.0.0.1' },
      systemRandom,
    ),
    assert.fail,
  ))!
  const lines: string[] = []
  const log = openLog('info', { write: (line) => lines.push(line) }, { context: telemetry.context })
  const app = createServer({
    log,
    random: systemRandom,
    secure: false,
    trusted_proxies: [],
    observer: telemetry.of('live'),
  })
  const arrived = Promise.withResolvers<void>()
  app.addHook('onRequest', (_request, _reply, done) => {
    arrived.resolve()
    done()
  })
  app.post('/', async () => {
    log.info('inside')
    return 'taken'
  })
  await app.listen({ port: 0, host: '127.0.0.1' })
  const trace_id = '4bf92f3577b34da6a3ce929d0e0e4736'
  // The body comes later than the headers, as an event of the connection.
  const sent = request(`${app.listeningOrigin}/`, {
    method: 'POST',
    headers: {
      traceparent: `00-${trace_id}-00f067aa0ba902b7-01`,
      'content-type': 'application/json',
      'content-length': 2,
      connection: 'close',
    },
  })
  sent.flushHeaders()
  await arrived.promise
  sent.end('{}')
  const [answer] = await once(sent, 'response')
  await text(answer)
  log.info('outside')
  await app.close()
  await telemetry.close()
  const traces = Object.fromEntries(
    lines.map((line) => JSON.parse(line)).map(({ msg, trace_id }) => [msg, trace_id]),
  )
  assert.equal(traces.inside, trace_id)
  assert.equal(traces.outside, undefined)
  assert.ok(receiver.spans.some((span) => span.traceId === trace_id && span.name === 'POST /'))
})

const TRACED = { NODE_ENV: 'test', SECRET_KEY: systemRandom.bytes(32).toString('hex') }

/** Sends a span to a collector with this answer, and returns what was reported. */
async function faultsOf(answer: RequestListener): Promise<Error[]> {
  const server = createHttpServer(answer)
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`
  const faults: Error[] = []
  const config = readConfig({ ...TRACED, OTEL_EXPORTER_OTLP_ENDPOINT: endpoint }, systemRandom)
  const telemetry = (await openTelemetry(config, (error) => faults.push(error)))!
  const observer = telemetry.of('live')
  await observer.observe(
    'job',
    () => 'retention',
    async () => {},
  )
  await telemetry.close()
  server.closeAllConnections()
  server.close()
  return faults
}

test('a collector that refuses or does not answer is reported, and keeps no node from stopping', async () => {
  const [refused] = await faultsOf((_request, response) => response.writeHead(400).end())
  assert.match(`${refused}`, /400|Bad Request/)
  const late = await withTimeout(
    faultsOf(() => {}),
    3_000,
  )
  assert.match(`${late?.[0]}`, /did not answer within 2 seconds/)
})

test('the name of a statement has its verb and its table, and no value', () => {
  const names = [
    ['select id, name from licenses where key = $1', 'select licenses'],
    ["insert into emails (id) values ('x') on conflict do nothing", 'insert emails'],
    ['update attempts set status = $1', 'update attempts'],
    ['with due as (select s.id from subscriptions s) update x set y = 1', 'select subscriptions'],
    ['delete from pgboss.job where id = $1', 'delete pgboss.job'],
    ['begin', 'other'],
    ["set local application_name = 'robin@example.com'", 'other'],
  ]
  for (const [text, name] of names) assert.equal(operationOf(text!), name)
})

test('without the settings nothing of OpenTelemetry is loaded', async () => {
  const loading = globSync('src/**/*.{ts,tsx}').filter((path) =>
    /^import (?!type)[^']*'@opentelemetry\//m.test(readFileSync(path, 'utf8')),
  )
  const PARTS = ['collector', 'logs', 'metrics', 'traces']
  assert.deepEqual(
    loading.toSorted(),
    PARTS.map((part) => `src/platform/telemetry/${part}.ts`),
  )
  const importers = globSync('src/**/*.{ts,tsx}').filter((path) =>
    /^import (?!type)[^']*'[^']*telemetry\/(logs|metrics|traces)'/m.test(
      readFileSync(path, 'utf8'),
    ),
  )
  assert.deepEqual(importers, [])
  const config = readConfig(TRACED, systemRandom)
  assert.equal(await openTelemetry(config, assert.fail), undefined)
})
