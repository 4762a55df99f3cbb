import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { type AddressInfo, createServer as createTcpServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { SMTPServer } from 'smtp-server'
import { type Config, readConfig } from '#platform/config'
import type { Database } from '#platform/db'
import type { Diagnosis } from '#platform/diagnosis'
import { checkSecretKeys, endReview, markRestored, setMoney } from '#platform/installation'
import { migrations } from '#platform/migrations'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { sql } from '#platform/sql'
import { isSameServer } from '../../scripts/doctor/databases.ts'
import { diagnoseProxy } from '../../scripts/doctor/machine.ts'
import { diagnoseClock } from '../../scripts/doctor/services.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { runCommand } from '../support/command.ts'
import {
  administrate,
  createServerDatabase,
  prepareDataFolder,
  SERVER_URL,
} from '../support/database.ts'
import { endProcesses, startProcess } from '../support/process.ts'
import {
  createReopenableDatabase,
  type ReopenableDatabase,
} from '../support/reopenable-database.ts'
import { SECRET_KEY as STRIPE_KEY, StripeDouble, WEBHOOK_SECRET } from '../support/stripe-double.ts'

const KEY = randomBytes(32).toString('hex')
const PASSWORD = 'a secret of the mail server'

let kept: ReopenableDatabase
let settings: Record<string, string>
const data_dir = mkdtempSync(join(tmpdir(), 'purser-doctor-'))
before(async () => {
  kept = await createReopenableDatabase()
  settings = { PORT: String(await freePort()), SECRET_KEY: KEY, ...kept.settings }
  const db = await kept.open()
  await checkSecretKeys(db, new Date(), keyRing([Buffer.from(KEY, 'hex')]))
  await db.close()
})
after(async () => {
  endProcesses()
  await kept.drop()
  rmSync(data_dir, { recursive: true, force: true })
})

interface Report {
  faults: number
  warnings: number
  checks: Diagnosis[]
}

/** What the command finds, by its JSON, with these changes of the settings. */
async function doctor(changes: Record<string, string> = {}) {
  const { status, out, error } = await runCommand('doctor', { ...settings, ...changes }, '--json')
  assert.ok(!(out + error).includes(encodeURIComponent(PASSWORD)), 'a password was printed')
  assert.equal(error, '')
  const { checks, faults }: Report = JSON.parse(out)
  assert.equal(status, faults > 0 ? 1 : 0)
  const texts = (check: string) =>
    checks.filter((each) => each.check === check).map(({ level, text }) => `${level}: ${text}`)
  return { texts, faults, checks }
}

test('every check has a line, and a fault or a warning says what to do', async () => {
  const { status, out } = await runCommand('doctor', settings)
  assert.equal(status, 0, out)
  assert.match(out, /^ok {7}keys: SECRET_KEY fits the database$/m)
  assert.match(out, /^ok {7}writing: the database accepts writes$/m)
  if (SERVER_URL)
    assert.match(out, /^ok {7}encryption: PostgreSQL: (TLS|no TLS, on this machine)$/m)
  assert.match(out, /^warning {2}address: \S+ does not answer: .*\n {9}Start the service/m)
  assert.match(out, /^Faults: 0\. Warnings: \d+\.$/m)
  for (const { level, check, next } of (await doctor()).checks) {
    assert.equal(level === 'ok', next === undefined, check)
  }
})

test('a proxy without a node is a warning, and another program at the URL is a fault', async () => {
  let status = 503
  const proxy = createServer((_request, response) => response.writeHead(status).end('no node'))
  await new Promise<void>((resolve) => proxy.listen(0, '127.0.0.1', resolve))
  const BASE_URL = `http://127.0.0.1:${(proxy.address() as AddressInfo).port}`
  const stopped = await doctor({ BASE_URL })
  const text = `${BASE_URL}: no node answers behind the proxy (503)`
  assert.deepEqual(stopped.texts('address'), [`warning: ${text}`])
  status = 404
  const other = await doctor({ BASE_URL })
  assert.deepEqual(other.texts('address'), [
    `fault: ${BASE_URL} is answered by another program (404)`,
  ])
  proxy.close()
})

test('a service that runs on the embedded database answers for it', async () => {
  await prepareDataFolder(data_dir)
  const own = { DATA_DIR: data_dir, DATABASE_URL: '', SECRET_KEY: '', DEMO: '0' }
  const running = await startProcess('src/main.ts', { ...own, PORT: settings.PORT! })
  const { texts, faults } = await doctor(own)
  assert.equal(faults, 0)
  assert.deepEqual(texts('keys'), ['ok: SECRET_KEY fits the database'])
  assert.match(texts('migrations')[0]!, /^ok: all of release/)
  assert.deepEqual(texts('address'), [`ok: ${running.base_url} answers`])
  assert.match(texts('clock').join('\n'), /^ok: not compared: [^\n]+$/)
  running.process.kill('SIGTERM')
  assert.equal(await running.exit, 0)
})

/** Changes the database. The embedded one belongs to one process at a time. */
async function changed(change: (db: Database) => Promise<unknown>): Promise<void> {
  const db = await kept.open()
  await change(db)
  await db.close()
}

test('another SECRET_KEY than that of the database is a fault', async () => {
  const { texts, faults } = await doctor({ SECRET_KEY: randomBytes(32).toString('hex') })
  assert.equal(faults, 1)
  assert.match(texts('keys')[0]!, /^fault: SECRET_KEY: this database was written with another key/)
})

test('a database that lacks a migration is checked as any other', async () => {
  const last = migrations().at(-1)!
  await changed((db) => db.run(sql`delete from schema_migrations where name = ${last.name}`))
  const { texts } = await doctor({ SECRET_KEY: randomBytes(32).toString('hex') })
  assert.match(texts('migrations')[0]!, /^warning: 1 of release \S+ are missing/)
  assert.deepEqual(texts('writing'), ['ok: the database accepts writes'])
  assert.match(texts('keys')[0]!, /^fault: SECRET_KEY: this database was written with another key/)
  await changed((db) =>
    db.run(sql`insert into schema_migrations (name, checksum, applied_at)
      values (${last.name}, ${last.checksum}, ${new Date()})`),
  )
})

test('a restore under review is a warning until its review ends', async () => {
  assert.deepEqual((await doctor()).texts('restore'), ['ok: no restore is under review'])
  await changed(async (db) => {
    await setMoney(db, 'test')
    await markRestored(db, new Date('2026-11-22T14:05:00Z'))
  })
  const { checks } = await doctor()
  const found = checks.find(({ check }) => check === 'restore')
  assert.match(found!.text, /^restored at 2026-11-22T14:05:00\.000Z: nothing renews on schedule/)
  assert.match(found!.next!, /npm run restore -- --end-review/)
  await changed(endReview)
  assert.deepEqual((await doctor()).texts('restore'), ['ok: no restore is under review'])
})

test('a wrong setting is a fault, and nothing else is looked at', async () => {
  const { texts, checks } = await doctor({ PORT: 'http' })
  assert.match(texts('settings')[0]!, /^fault: .*\n.*PORT: must be a port number/)
  assert.deepEqual(
    checks.map(({ check }) => check),
    ['node', 'settings'],
  )
})

test('an embedded database that cannot be opened is a fault, for which a full disk may be why', async () => {
  const folder = join(data_dir, 'damaged')
  mkdirSync(join(folder, 'database', 'base'), { recursive: true })
  writeFileSync(join(folder, 'database', 'PG_VERSION'), '17\n')
  const { checks } = await doctor({ DATABASE_URL: '', DATA_DIR: folder })
  const found = checks.find(({ check }) => check === 'database')
  assert.equal(found?.level, 'fault')
  assert.match(found?.next ?? '', /^Free some space if the disk is full, .* Else restore a backup/)
})

test('a folder in which the first start can create no database is a fault', async () => {
  const folder = join(data_dir, 'settings.txt')
  writeFileSync(folder, 'a file')
  const { checks } = await doctor({ DATABASE_URL: '', DATA_DIR: join(folder, 'data') })
  const found = checks.find(({ check }) => check === 'database')
  assert.equal(found?.level, 'fault')
  assert.match(found?.text ?? '', /^the folder cannot be written: ENOTDIR/)
  assert.match(found?.next ?? '', /^Give DATA_DIR to the user of the service/)
})

test('a database, a Valkey and a bucket that are down are faults, and the rest is looked at', async () => {
  const port = await freePort()
  const { texts } = await doctor({
    DATABASE_URL: `postgres://purser:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/purser`,
    VALKEY_URL: `redis://:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}`,
    STORAGE_URL: `http://id:${encodeURIComponent(PASSWORD)}@127.0.0.1:${port}/pictures`,
  })
  assert.match(texts('database')[0]!, new RegExp(`^fault: 127.0.0.1:${port}: .*ECONNREFUSED`))
  assert.match(texts('valkey')[0]!, new RegExp(`^fault: 127.0.0.1:${port}: .*ECONNREFUSED`))
  assert.match(texts('storage')[0]!, /^fault: /)
  assert.match(texts('mail')[0]!, /^ok: /)
})

test('the number of a database that Valkey does not have is a fault', async () => {
  const server = createTcpServer((socket) => {
    socket.on('data', (data) => {
      const commands = data.toString().match(/(?<=\r\n)(?:info|select|ping|client)(?=\r\n)/gi)
      for (const command of commands ?? [])
        socket.write(REPLIES[command.toLowerCase()] ?? '+OK\r\n')
    })
  })
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
  const { port } = server.address() as AddressInfo
  const { texts } = await doctor({ VALKEY_URL: `redis://127.0.0.1:${port}/99` })
  server.close()
  assert.deepEqual(texts('valkey'), [`fault: 127.0.0.1:${port}: ERR DB index is out of range`])
})

/** What a Valkey with sixteen databases replies. */
const REPLIES: Record<string, string> = {
  info: '$0\r\n\r\n',
  ping: '+PONG\r\n',
  select: '-ERR DB index is out of range\r\n',
}

test('signs in to the mail server and sends nothing; a refused sign-in is a fault', async () => {
  let messages = 0
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    onAuth: ({ password }, _session, done) =>
      done(password === PASSWORD ? null : new Error('no'), { user: 'purser' }),
    onMailFrom(_address, _session, done) {
      messages++
      done()
    },
  })
  const port = await freePort()
  await new Promise<void>((resolve) => server.listen(port, '127.0.0.1', resolve))
  const url = (password: string) =>
    `smtp://purser:${encodeURIComponent(password)}@127.0.0.1:${port}`
  const right = await doctor({ SMTP_URL: url(PASSWORD) })
  assert.deepEqual(right.texts('mail'), ['ok: 127.0.0.1 accepts the connection and its sign-in'])
  const wrong = await doctor({ SMTP_URL: url('another one') })
  assert.match(wrong.texts('mail')[0]!, /^fault: 127\.0\.0\.1: .*(no|authentication)/i)
  assert.equal(messages, 0)
  server.close()
})

describe('on PostgreSQL', { skip: SERVER_URL === undefined && 'it needs a server' }, () => {
  test('names the processor account’s gaps, and a test mode without a database', async () => {
    const double = await StripeDouble.open(() => new Date())
    const { texts } = await doctor({
      STRIPE_SECRET_KEY: STRIPE_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: double.url,
    })
    await double.close()
    assert.ok(texts('processor').some((each) => each.startsWith('fault: missing: ')))
    assert.match(texts('database')[0]!, /^ok: PostgreSQL 1/)
    assert.match(texts('test database')[0]!, /^fault: database "\w+_test" does not exist/)
    // Test mode opens as many again, and both count on the one server.
    const opened = (lines: string[]) => Number(/(\d+)(,| for this node)/.exec(lines[0]!)?.[1])
    assert.equal(opened(texts('connections')), 2 * opened((await doctor()).texts('connections')))
  })

  test('a read-only database is a fault', async () => {
    const { url, drop } = await createServerDatabase(SERVER_URL!)
    const name = url.pathname.slice(1)
    await administrate(SERVER_URL!, `alter database ${name} set default_transaction_read_only = on`)
    const { texts } = await doctor({ DATABASE_URL: url.href })
    await drop()
    assert.match(texts('writing')[0]!, /^fault: .*read-only transaction/)
    assert.match(texts('clock')[0]!, /^ok: 0\.\d s apart/)
  })
})

test('the clock is compared with that of Stripe, or a line says that it was not', async () => {
  const double = await StripeDouble.open(() => new Date())
  const stripe = {
    stripe: { secret_key: STRIPE_KEY, webhook_secrets: [WEBHOOK_SECRET], api_base: double.url },
  }
  const config = readConfig({ SECRET_KEY: KEY, DATABASE_URL: '' }, systemRandom)
  const clock = async (changes: Partial<Config>, late_ms = 0) => {
    const now = () => new Date(Date.now() - late_ms)
    const [found, ...rest] = await diagnoseClock({ ...config, ...changes }, now)
    assert.deepEqual(rest, [])
    return `${found!.level}: ${found!.text}`
  }
  assert.match(await clock(stripe), /^ok: [01]\.\d s apart from Stripe$/)
  assert.match(await clock(stripe, 10_000), /^warning: (9|10)\.\d s apart from Stripe$/)
  assert.match(await clock(stripe, 60_000), /^fault: (59|60)\.\d s apart from Stripe$/)
  await double.close()
  assert.match(await clock(stripe), /^warning: not compared with Stripe: .*ECONNREFUSED/)
  assert.match(await clock({}), /^ok: not compared: .* there is no other clock$/)
  assert.match(await clock({ production: true }), /^warning: not compared: /)
})

test('databases of live and test mode on one server are recognized by its host and port', () => {
  const at = (database_url: string | undefined) => ({ database_url })
  const live = at('postgres://purser:pw@db.example/purser')
  assert.ok(isSameServer(live, at('postgres://other:pw@db.example:5432/purser_test')))
  assert.ok(!isSameServer(live, at('postgres://purser:pw@db.example:5433/purser_test')))
  assert.ok(!isSameServer(live, at('postgres://purser:pw@test.example/purser')))
  assert.ok(!isSameServer(at(undefined), at(undefined)))
})

test('a proxy setting that trusts everyone, or no one behind https, is named', () => {
  const levelOf = (changes: object) => {
    const config = { ...readConfig({ SECRET_KEY: KEY }, systemRandom), ...changes }
    return diagnoseProxy(config)[0]!.level
  }
  assert.equal(levelOf({ trusted_proxies: ['0.0.0.0/0'] }), 'fault')
  assert.equal(levelOf({ production: true }), 'warning')
  assert.equal(levelOf({ production: true, trusted_proxies: ['10.0.0.0/8'] }), 'ok')
})
