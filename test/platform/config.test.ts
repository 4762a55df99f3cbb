import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, test } from 'node:test'
import { ConfigError, readConfig } from '#platform/config'
import { systemRandom } from '#platform/random'
import { sha256 } from '#platform/secrets'

const DATA_DIR = mkdtempSync(join(tmpdir(), 'purser-config-'))
after(() => rmSync(DATA_DIR, { recursive: true, force: true }))
const read = (env: Record<string, string>) => readConfig({ DATA_DIR, ...env }, systemRandom)

const KEY = sha256('a key for tests').toString('hex')

const WRONG: [variable: string, value: string][] = [
  ['PORT', 'http'],
  ['PORT', '70000'],
  ['PORT', '-1'],
  ['BASE_URL', 'localhost'],
  ['BASE_URL', 'ftp://example.com'],
  ['BASE_URL', 'https://example.com/shop'],
  ['DATABASE_URL', 'mysql://localhost/purser'],
  ['VALKEY_URL', 'localhost:6379'],
  ['SMTP_URL', 'mail.example.com'],
  ['SECRET_KEY', 'short'],
  ['SECRET_KEY', `${'0123456789abcdef'.repeat(4)},short`],
  // S9
  ['SECRET_KEY', '0'.repeat(64)],
  ['SECRET_KEY', '0123456789abcdef'.repeat(4)],
  ['SECRET_KEY', `${KEY},${'ab'.repeat(32)}`],
  ['BASE_URL', 'https://purser.example'],
  ['BASE_URL', 'http://10.0.0.5:4000'],
  ['DEMO', 'yes'],
  ['LOG_LEVEL', 'loud'],
  ['NODE_ENV', 'staging'],
  ['NODE_NAME', 'node one'],
  ['NODE_NAME', 'n'.repeat(64)],
  ['METRICS_PORT', 'any'],
  ['METRICS_PORT', '65536'],
  ['METRICS_PORT', '4000'],
  ['OTEL_EXPORTER_OTLP_ENDPOINT', 'collector:4318'],
  ['OTEL_TRACES_SAMPLER', 'some'],
  ['OTEL_TRACES_SAMPLER_ARG', '1%'],
  ['OTEL_TRACES_SAMPLER_ARG', '1.5'],
  ['STRIPE_SECRET_KEY', 'pk_test_abc'],
  ['STRIPE_WEBHOOK_SECRET', 'secret'],
  ['STRIPE_API_BASE', 'localhost'],
  ['TEST_MODE_URL', 'https://test.shop.example/try'],
  ['TEST_MODE_URL', 'https://test.shop.example'],
  ['TEST_MODE_DATABASE_URL', 'mysql://localhost/purser'],
  ['TAX_PROVIDER', 'avalara'],
  ['PURSER_ROLE', 'both'],
  ['PURSER_ROLE', 'web'],
  ['WORKERS', '0'],
  ['WORKERS', '65'],
  ['WORKERS', '2'],
  ['TRUST_PROXY', 'proxy.example'],
  ['TRUST_PROXY', '10.0.0.0/33'],
  ['OPERATOR_NAME', 'H'],
  ['OPERATOR_ADDRESS', 'Main Street 1'],
  ['SUPPORT_EMAIL', 'help'],
  ['SUPPORT_URL', 'example.com/help'],
  ['STATEMENT_DESCRIPTOR', 'ABCD'],
  ['STATEMENT_DESCRIPTOR', 'HARBOR SOFTWARE AND SONS'],
  ['STATEMENT_DESCRIPTOR', '1234567'],
  ['STATEMENT_DESCRIPTOR', 'HARBOR*SOFT'],
  ['LEGAL_DIR', '/no/such/folder'],
]
for (const [variable, value] of WRONG) {
  test(`${variable}=${value} is refused, naming the variable`, () => {
    assert.throws(
      () => read({ [variable]: value }),
      (error: Error) => error instanceof ConfigError && error.message.includes(`${variable}: `),
    )
  })
}

// A default sentence of the schema's library named neither the values nor the form.
const SENTENCES: [settings: Record<string, string>, sentence: RegExp][] = [
  [{ NODE_ENV: 'staging' }, /NODE_ENV: must be production, development or test$/],
  [{ PORT: '0' }, /PORT: must be a port number from 1 to 65535$/],
  [{ LOG_LEVEL: 'loud' }, /LOG_LEVEL: must be debug, info, warn, error or silent$/],
  [{ OTEL_SERVICE_NAME: 'n'.repeat(101) }, /OTEL_SERVICE_NAME: must have at most 100 characters$/],
  [{ SECRET_KEY: 'short' }, /used\.\n {2}SECRET_KEY: must be 64 hexadecimal characters[^\n]*$/],
  [{ DATABASE_URL: 'postgres://purser:a/b@db/purser' }, /DATABASE_URL: cannot be read.* \/ as %2F/],
  [{ SMTP_URL: 'smtp://purser:a#b@mail' }, /SMTP_URL: cannot be read.* # as %23/],
  [{ SMTP_URL: 'smtp://mail?maxConnections=few' }, /SMTP_URL: .*maxConnections must be 1 to 999$/],
  [{ SMTP_URL: 'smtp://mail?maxConnections=0' }, /SMTP_URL: .*maxConnections must be 1 to 999$/],
  [
    { SMTP_URL: 'smtp://mail?maxConnection=3' },
    /SMTP_URL: has the unknown parameter maxConnection;/,
  ],
  [{ SMTP_URL: 'smtp://mail?requireTLS=false' }, /may have maxConnections and name$/],
  [{ VALKEY_URL: 'redis://valkey:6379/limits' }, /VALKEY_URL: .* no path but the number of a data/],
  [{ STORAGE_URL: 'https://id:a/b@s3.example/x' }, /STORAGE_URL: .*write \/ in a key as %2F$/],
  [{ METRICS_PORT: '3999', WORKERS: '2' }, /METRICS_PORT: must not be PORT \(4000\).* WORKERS=2/],
  [{ METRICS_PORT: '65535', WORKERS: '2' }, /METRICS_PORT: must be at most 65534: with WORKERS=2/],
]
for (const [settings, sentence] of SENTENCES) {
  test(`${JSON.stringify(settings)} is refused with what to write instead`, () => {
    const DATABASE_URL = 'postgres://db/purser'
    assert.throws(() => read({ DATABASE_URL, ...settings }), sentence)
  })
}

const SENDERS = [
  'receipts@harbor.example',
  'Harbor <receipts@harbor.example>',
  '"Harbor Software, Inc." <receipts@harbor.example>',
  '<receipts@localhost>',
]
const NO_SENDERS = [
  'receipts',
  'Harbor receipts@harbor.example',
  'Harbor <receipts@harbor.example',
  'Harbor Software, Inc. <receipts@harbor.example>',
  'receipts@harbor.example, billing@harbor.example',
  'Harbor <receipts>',
]

test('MAIL_FROM is one address, alone or behind a name', () => {
  for (const MAIL_FROM of SENDERS) assert.match(read({ MAIL_FROM }).mail_from, /<receipts@\S+>$/)
  for (const MAIL_FROM of NO_SENDERS) {
    assert.throws(() => read({ MAIL_FROM }), /MAIL_FROM: must be an email address/, MAIL_FROM)
  }
})

test('every wrong setting is reported at once', () => {
  assert.throws(() => read({ PORT: 'x', DEMO: 'x' }), /PORT: [\s\S]*DEMO: /)
})

test('without settings it serves the loopback from an embedded database, with the demo', () => {
  const config = read({})
  assert.deepEqual(
    [config.port, config.host, config.base_url, config.demo, config.database_url],
    [4000, '127.0.0.1', 'http://localhost:4000', true, undefined],
  )
})

test('metrics and traces are off by default, and metrics are served to this machine only', () => {
  const { metrics, collector } = read({})
  assert.deepEqual([metrics, collector], [undefined, undefined])
  const on = read({ METRICS_PORT: '9464', OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318/' })
  assert.deepEqual(on.metrics, { port: 9464, host: '127.0.0.1' })
  assert.deepEqual(on.collector, {
    endpoint: 'http://localhost:4318',
    service_name: undefined,
    receives_log: false,
    sampled: 1,
  })
  assert.throws(() => read({ OTEL_LOGS_EXPORTER: 'otlp' }), /OTEL_EXPORTER_OTLP_ENDPOINT: must be/)
})

const SAMPLED: [sampler: string, sampled: number][] = [
  ['always_on', 1],
  ['always_off', 0],
  ['traceidratio', 0.01],
  ['parentbased_always_on', 1],
  ['parentbased_always_off', 0],
  ['parentbased_traceidratio', 0.01],
]
for (const [name, sampled] of SAMPLED) {
  test(`OTEL_TRACES_SAMPLER=${name} sends ${sampled * 100} percent of all traces`, () => {
    const { collector } = read({
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://localhost:4318',
      OTEL_TRACES_SAMPLER: name,
      OTEL_TRACES_SAMPLER_ARG: '0.01',
    })
    assert.equal(collector?.sampled, sampled)
  })
}

test('the development key is created once, readable by its owner only', () => {
  const first = read({}).secret_keys[0]!
  assert.deepEqual(read({}).secret_keys, [first])
  const file = join(DATA_DIR, 'secret.key')
  assert.equal(readFileSync(file, 'utf8').trim(), first.toString('hex'))
  assert.equal(statSync(file).mode & 0o777, 0o600)
})

test('a development key that cannot be read is never replaced', () => {
  const folderWith = (content: string | undefined) => {
    const folder = mkdtempSync(join(DATA_DIR, 'key-'))
    const file = join(folder, 'secret.key')
    if (content === undefined) mkdirSync(file)
    else writeFileSync(file, content)
    return { folder, file }
  }
  // As a full disk leaves it, cut off, and one that cannot be read at all.
  for (const content of ['', 'c0ffee', undefined]) {
    const { folder, file } = folderWith(content)
    const named = new RegExp(`^DATA_DIR: ${file} `)
    assert.throws(
      () => read({ DATA_DIR: folder }),
      (error) => error instanceof ConfigError && named.test(error.message),
    )
    if (content !== undefined) assert.equal(readFileSync(file, 'utf8'), content)
  }
})

const OPERATOR = {
  OPERATOR_NAME: 'Harbor Software, Inc.',
  OPERATOR_ADDRESS: '1 Main Street; Wilmington, DE 19801; United States',
  OPERATOR_TAX_ID: '12-3456789',
  SUPPORT_EMAIL: 'help@harbor.example',
  STATEMENT_DESCRIPTOR: 'HARBOR SOFTWARE',
  GOVERNING_LAW: 'Delaware',
}
const LIVE = {
  ...OPERATOR,
  NODE_ENV: 'production',
  SECRET_KEY: KEY,
  TRUST_PROXY: 'none',
  BASE_URL: 'https://purser.example',
  SMTP_URL: 'smtps://mail.example.com',
}

// F26
test('production names every setting of the operator that is missing', () => {
  const { NODE_ENV, SECRET_KEY, BASE_URL, SMTP_URL, TRUST_PROXY } = LIVE
  assert.throws(
    () => read({ NODE_ENV, SECRET_KEY, BASE_URL, SMTP_URL, TRUST_PROXY }),
    new RegExp(`must be set: ${Object.keys(OPERATOR).join(', ')}\\. .*npm run setup`),
  )
})

test('the operator is what the settings say, with the help page of the service as default', () => {
  assert.deepEqual(read(LIVE).operator, {
    legal_name: 'Harbor Software, Inc.',
    address: ['1 Main Street', 'Wilmington, DE 19801', 'United States'],
    tax_id: '12-3456789',
    support_email: 'help@harbor.example',
    support_url: 'https://purser.example/help/',
    statement_descriptor: 'HARBOR SOFTWARE',
    governing_law: 'Delaware',
    legal_dir: undefined,
  })
})

// S5
test('production requires a statement about proxies: their addresses, or none', () => {
  assert.throws(() => read({ ...LIVE, TRUST_PROXY: '' }), /must be set: TRUST_PROXY\. .*or is none/)
  assert.deepEqual(read(LIVE).trusted_proxies, [])
  const named = { ...LIVE, TRUST_PROXY: '10.0.0.0/8, 192.0.2.1' }
  assert.deepEqual(read(named).trusted_proxies, ['10.0.0.0/8', '192.0.2.1'])
})

// S9
test('development listens on local addresses only', () => {
  for (const host of ['localhost:4000', '127.0.0.1', '[::1]:4000', 'app.localhost']) {
    assert.equal(read({ BASE_URL: `http://${host}` }).base_url, `http://${host}`)
  }
  assert.throws(() => read({ BASE_URL: 'https://purser.example' }), /NODE_ENV=production/)
})

test('development has an operator that says it is a demo', () => {
  const { legal_name, address, tax_id } = read({}).operator
  for (const text of [legal_name, address[0], tax_id]) assert.match(text ?? '', /demo/i)
})

test("emails have the operator's name as sender if MAIL_FROM has none", () => {
  const from = (MAIL_FROM: string) => read({ ...LIVE, MAIL_FROM }).mail_from
  assert.equal(from('sales@harbor.example'), '"Harbor Software, Inc." <sales@harbor.example>')
  assert.equal(from('Harbor <sales@harbor.example>'), 'Harbor <sales@harbor.example>')
})

test('production requires its key, its address and its mail server, and starts without the demo', () => {
  for (const variable of ['SECRET_KEY', 'BASE_URL', 'SMTP_URL']) {
    assert.throws(() => read({ ...LIVE, [variable]: '' }), new RegExp(variable))
  }
  assert.throws(() => read({ ...LIVE, BASE_URL: 'http://purser.example' }), /BASE_URL.*https/)
  assert.equal(read(LIVE).demo, false)
})

const STRIPE = { STRIPE_SECRET_KEY: 'sk_test_abc', STRIPE_WEBHOOK_SECRET: 'whsec_a, whsec_b' }

test('Stripe is chosen by its key, which requires the secrets of its endpoints', () => {
  assert.equal(read({}).stripe, undefined)
  assert.deepEqual(read(STRIPE).stripe, {
    secret_key: 'sk_test_abc',
    webhook_secrets: ['whsec_a', 'whsec_b'],
    api_base: undefined,
  })
  assert.throws(() => read({ ...STRIPE, STRIPE_WEBHOOK_SECRET: '' }), /STRIPE_WEBHOOK_SECRET: /)
  const alone: Record<string, string>[] = [
    { STRIPE_WEBHOOK_SECRET: 'whsec_a' },
    { STRIPE_API_BASE: 'http://localhost:12111' },
    { TAX_PROVIDER: 'stripe' },
  ]
  for (const idle of alone) {
    assert.throws(() => read(idle), /STRIPE_SECRET_KEY: must be set for/)
  }
})

test('a live key is accepted in production only, and sent to Stripe only', () => {
  const live = { ...STRIPE, STRIPE_SECRET_KEY: 'sk_live_abc' }
  assert.throws(() => read(live), /STRIPE_SECRET_KEY: .*production/)
  assert.equal(read({ ...LIVE, ...live }).stripe?.secret_key, 'sk_live_abc')
  const elsewhere = { STRIPE_API_BASE: 'http://localhost:12111' }
  assert.throws(() => read({ ...LIVE, ...live, ...elsewhere }), /STRIPE_API_BASE: /)
})

test('the README lists every setting and no other', () => {
  const read = (path: string) => readFileSync(new URL(`../../${path}`, import.meta.url), 'utf8')
  const files = ['config', 'operator', 'processes', 'telemetry-settings']
  const sources = files.map((file) => read(`src/platform/${file}.ts`)).join('\n')
  const settings = [...sources.matchAll(/^ {2}([A-Z][A-Z_]+): /gm)].map(([, name]) => name)
  const table = /\| variable \| default .*?\n\n/s.exec(read('README.md'))![0]
  const listed = [...table.matchAll(/^\| (`.*?) \|/gm)].flatMap(([, cell]) => cell!.match(/\w+/g)!)
  assert.deepEqual(listed.toSorted(), settings.toSorted())
})

test('test mode beside live mode needs Stripe and an address; development has one', () => {
  const live = { ...LIVE, ...STRIPE }
  assert.equal(read(live).test_mode, undefined)
  assert.equal(read({}).test_mode, undefined)
  assert.equal(read(STRIPE).test_mode?.base_url, 'http://test.localhost:4000')
  const TEST_MODE_URL = 'https://test.purser.example'
  assert.deepEqual(read({ ...live, TEST_MODE_URL }).test_mode, {
    base_url: TEST_MODE_URL,
    database_url: undefined,
  })
  assert.throws(() => read({ ...LIVE, TEST_MODE_URL }), /STRIPE_SECRET_KEY: must be set for TEST_/)
})

test('test mode has its own host and its own database', () => {
  const live = { ...LIVE, ...STRIPE, DATABASE_URL: 'postgres://shop@db.example/purser?ssl=1' }
  const TEST_MODE_URL = 'https://test.purser.example'
  assert.equal(
    read({ ...live, TEST_MODE_URL }).test_mode?.database_url,
    'postgres://shop@db.example/purser_test?ssl=1',
  )
  const unnamed = read({ ...live, TEST_MODE_URL, DATABASE_URL: 'postgres://shop@db.example' })
  assert.equal(unnamed.test_mode?.database_url, 'postgres://shop@db.example/shop_test')
  const refused: [Record<string, string>, RegExp][] = [
    [{ TEST_MODE_URL: 'https://purser.example:8443' }, /TEST_MODE_URL: must be on another host/],
    [{ TEST_MODE_URL: 'http://test.purser.example' }, /TEST_MODE_URL: must start with https:/],
    [
      { TEST_MODE_URL, TEST_MODE_DATABASE_URL: live.DATABASE_URL },
      /TEST_MODE_DATABASE_URL: must be another database/,
    ],
    [{ TEST_MODE_DATABASE_URL: live.DATABASE_URL }, /TEST_MODE_URL: must be set for TEST_/],
  ]
  for (const [settings, fault] of refused) {
    assert.throws(() => read({ ...live, ...settings }), fault)
  }
})
