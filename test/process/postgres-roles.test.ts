import assert from 'node:assert/strict'
import { randomBytes } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { after, before, describe, test } from 'node:test'
import pg from 'pg'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { migrate, pendingMigrations } from '#platform/migrate'
import { sql } from '#platform/sql'
import { findPostgres, startPostgres, type Throwaway } from '../../scripts/throwaway-postgres.ts'
import { runCommand } from '../support/command.ts'
import { administrate } from '../support/database.ts'

const programs = findPostgres()
const SKIP = !programs && 'no PostgreSQL server here (apt-get install postgresql)'

const COMMANDS = [
  ['doctor'],
  ['ledger-check'],
  ['migrate'],
  ['migrate', '--check'],
  ['keys-rotate'],
  ['staff-add', 'ada@example.com'],
  ['restore', '--mark'],
  ['restore', '--end-review'],
] as const

test('commands say what to do if their role may not use the tables', { skip: SKIP }, async (t) => {
  const server = await startPostgres(programs!)
  t.after(() => server.stop())
  const run = async (text: string) => {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  const db = await openPostgres(server.url, openLog('silent'))
  await migrate(db, new Date())
  await db.close()
  await run('create role reader login')
  const url = new URL(server.url)
  url.username = 'reader'
  const settings = { DATABASE_URL: url.href, SECRET_KEY: randomBytes(32).toString('hex') }
  for (const [name, ...args] of COMMANDS) {
    const { status, out, error } = await runCommand(name, settings, ...args)
    assert.notEqual(status, 0, name)
    assert.match(out + error, /permission denied for \w+ \w+/, name)
    assert.match(out + error, /Use the role that owns the tables, or a member of it/, name)
    assert.doesNotMatch(out + error, /^ {4}at /m, name)
  }
})

test('the doctor finds a role that may not create tables', { skip: SKIP }, async (t) => {
  const server = await startPostgres(programs!)
  t.after(() => server.stop())
  await administrate(server.url, 'create role guest login')
  await administrate(server.url, 'create database empty')
  const url = new URL(server.url)
  url.username = 'guest'
  url.pathname = '/empty'
  const settings = { DATABASE_URL: url.href, SECRET_KEY: randomBytes(32).toString('hex') }
  const refused = await runCommand('doctor', settings)
  assert.equal(refused.status, 1)
  assert.match(refused.out, /^fault {4}writing: the role guest may not create tables in empty\n/m)
  const [, statement = ''] = /administrator of the server: (.+)\.$/m.exec(refused.out) ?? []
  await administrate(server.url, statement)
  const { out } = await runCommand('doctor', settings)
  assert.doesNotMatch(out, /writing/)
  assert.equal((await runCommand('migrate', settings)).status, 0)
})

// Follows docs/operate/going-live.md: a second role takes over from the one that owns the tables.
describe('the password of PostgreSQL is replaced', { skip: SKIP }, () => {
  const page = readFileSync('docs/operate/going-live.md', 'utf8')
  // The server of the test has a superuser with the name of the page's role.
  const [create = '', end = ''] = Array.from(page.matchAll(/^```sql\n(.*?)^```/gms), ([, code]) =>
    code!.replaceAll('purser', 'shop'),
  )
  let server: Throwaway
  before(async () => {
    server = await startPostgres(programs!)
    await run('create role shop login')
    await run('create database shop owner shop')
    const db = await openAs('shop')
    await migrate(db, new Date())
    await db.close()
  })
  after(async () => await server.stop())

  async function run(text: string): Promise<void> {
    const client = new pg.Client({ connectionString: server.url })
    await client.connect()
    await client.query(text).finally(() => client.end())
  }
  async function openAs(role: string) {
    const url = new URL(server.url)
    url.username = role
    url.pathname = '/shop'
    return await openPostgres(url.href, openLog('silent'))
  }

  test('the second role reads, writes and migrates, and the first one can no longer sign in', async () => {
    await run(create)
    const db = await openAs('shop_2')
    assert.deepEqual(await pendingMigrations(db), [])
    await db.run(sql`update health_probe set at = now()`)
    await db.run(sql`create table later (id int)`)
    const owner = sql`select tableowner as name from pg_tables where tablename = 'later'`
    assert.deepEqual(await db.one(owner), { name: 'shop' })
    await db.close()
    await run(end)
    await assert.rejects(openAs('shop'), /not permitted to log in/)
    await (await openAs('shop_2')).close()
  })
})
