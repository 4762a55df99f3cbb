import assert from 'node:assert/strict'
import { setTimeout as sleep } from 'node:timers/promises'
import * as licensing from '#domain/licensing'
import { checkBooks, RULE_OF_FIGURES } from '#flows/check-books'
import type { Database } from '#platform/db'
import type { AppId, OrderId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'
import { RULES } from './invariant-rules.ts'
import type { TestService } from './service.ts'
import { sandboxOf } from './test-clock.ts'

const LOOKS = 300
const LOOK_MS = 200

/**
 * The rows that break a rule, queried again while there are some: a background job may be between
 * the processor's answer and its own transaction.
 */
async function settledRows(db: Database, broken: Sql): Promise<object[]> {
  for (let look = 1; ; look++) {
    const rows = await db.rows<object>(broken)
    if (rows.length === 0 || look === LOOKS) return rows
    await sleep(LOOK_MS)
  }
}

/**
 * Asserts what is true after everything that can happen: over the service's tables, compared with
 * the sandbox's own records, and for every key and order reference.
 */
export async function assertInvariants(service: TestService): Promise<void> {
  const { db, clock } = service.world
  for (const [rule, broken] of RULES) assert.deepEqual(await settledRows(db, broken), [], rule)
  const patience = new Date(clock.now().getTime() - 15 * 60_000)
  const stuck = sql`select id, status from attempts
    where status in ('open', 'action_required') and created_at < ${patience}`
  assert.deepEqual(await db.rows(stuck), [], 'no attempt stays open for more than a quarter hour')
  await assertKeysAndReferences(service)
  const { differences } = await checkBooks({ db, clock, processor: sandboxOf(service) })
  const forced = await forcedApps(db)
  const found = differences.filter(
    ({ rule, subject }) => rule !== RULE_OF_FIGURES || !forced.has(subject),
  )
  assert.deepEqual(found, [], 'the books are what happened, recomputed')
}

/**
 * The figures by day follow the history of licenses, so an app is left out where a test set a
 * status without it (see `forceStatus`).
 */
async function forcedApps(db: Database): Promise<Set<string>> {
  const forced = await db.rows<{ app_id: AppId }>(sql`select distinct l.app_id from licenses l
    where l.status <> (select h.to_status from license_history h
      where h.license_id = l.id order by h.id desc limit 1)`)
  return new Set(forced.map(({ app_id }) => app_id))
}

/** Asserts the same, and closes the service even if that fails. */
export async function assertInvariantsAndClose(service: TestService): Promise<void> {
  try {
    await assertInvariants(service)
  } finally {
    await service.close()
  }
}

/** Each license has one live key, and references resolve for the order's own app only. */
async function assertKeysAndReferences({ world }: TestService): Promise<void> {
  const { db, keys, clock } = world
  const now = clock.now()
  const clients = await db.rows<{ client_id: AppId; app_id: AppId }>(
    sql`select client_id, app_id from clients`,
  )
  const licenses = await db.rows<licensing.License & { order_id: OrderId | null }>(sql`
    select l.id as license_id, l.app_id, l.key_sealed, o.id as order_id
    from licenses l left join orders o on o.license_id = l.id order by l.created_at desc limit 20`)
  for (const { license_id, app_id, key_sealed, order_id } of licenses) {
    const license_key = licensing.showKey(keys, { license_id, key_sealed })
    assert.ok(licensing.isWellFormedKey(license_key))
    for (const { client_id, app_id: own_app_id } of clients) {
      const { found } = await licensing.findByKey(db, keys, { client_id, license_key })
      assert.equal(found?.license_id, own_app_id === app_id ? license_id : undefined)
      if (order_id === null) continue
      const reference = licensing.signReference(keys, now, { client_id: app_id, order_id })
      const read = licensing.readReference(keys, now, { client_id, reference })
      assert.equal(read, own_app_id === app_id ? order_id : undefined)
    }
  }
}
