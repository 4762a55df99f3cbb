import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import type { Database } from '#platform/db'
import { CONNECTIONS } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { openReadiness } from '#platform/readiness'
import { sql } from '#platform/sql'
import { ManualClock } from '../support/clock.ts'
import { openEmbeddedTestDatabase, openTestDatabase, SERVER_URL } from '../support/database.ts'

let db: Database
before(async () => {
  db = await openTestDatabase()
})
after(() => db?.close())

const open = (on = db) => openReadiness(on, new ManualClock(), openLog('silent'))

/** Keeps this process from reading anything, as long work without a pause does. */
function block(ms: number): void {
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, ms)
}

/** A check during which this process is too busy to read the answer in time. */
async function checkBusy(on: Database): Promise<boolean> {
  assert.equal(await open(on).check(), true)
  const checked = open(on).check()
  block(2_000)
  return await checked
}

test('is ready if the database answered while this process was too busy to read it', async () => {
  assert.equal(await checkBusy(db), true)
  // Monitoring has the same limit.
  const read = db.monitor.one(sql`select 1 as one`)
  block(1_600)
  assert.deepEqual(await read, { one: 1 })
})

// Otherwise a stop takes the database for lost, and cuts the running work off.
test('is ready if this process is too busy to ask the embedded database in time', async () => {
  const embedded = await openEmbeddedTestDatabase()
  assert.equal(await checkBusy(embedded), true)
  await embedded.close()
})

test('is ready while requests wait for every pooled connection', {
  skip: SERVER_URL === undefined && 'the embedded database has one connection, for everything',
}, async () => {
  const gate = Promise.withResolvers<void>()
  const taken = Array.from({ length: CONNECTIONS.pool }, () => Promise.withResolvers<void>())
  const busy = taken.map(({ resolve }) =>
    db.tx(async () => {
      resolve()
      await gate.promise
    }),
  )
  await Promise.all(taken.map(({ promise }) => promise))
  try {
    assert.equal(await open().check(), true)
  } finally {
    gate.resolve()
    await Promise.all(busy)
  }
})

test('is not ready while the database does not answer', async () => {
  const never = () => new Promise<never>(() => {})
  assert.equal(await open({ ...db, probe: never }).check(), false)
})
