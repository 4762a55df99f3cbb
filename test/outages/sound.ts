import assert from 'node:assert/strict'
import { systemClock } from '#platform/clock'
import { readConfig } from '#platform/config'
import { openPostgres } from '#platform/db-postgres'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'
import { keyRing } from '#platform/secrets'
import { sql } from '#platform/sql'
import { RULES } from '../simulate/rest-invariants.ts'
import { assertInvariants } from '../support/invariants.ts'
import type { TestService } from '../support/service.ts'
import { type Cluster, until } from './cluster.ts'
import { type Answer, type Load, validate } from './load.ts'

/** What is still under way, by name: nothing of it may last longer than a minute. */
const pendingAt = (now: Date) => sql`select what, count(*) from (
    select 'attempt' as what from attempts where status = 'open'
    union all select 'refund' from refunds where status = 'open'
    union all select 'payout' from payouts where status = 'open'
    union all select 'email' from emails where sent_at is null
    union all select 'renewal' from subscriptions s join licenses l on l.id = s.license_id
      join apps a on a.id = l.app_id
      where s.ended_at is null and s.next_at <= ${now}::timestamptz + a.clock_ahead * interval '1 second'
    union all select 'processor event' from sandbox.events e
      where not e.acknowledged and e.due_at < ${now}::timestamptz - interval '1 minute') x
  group by what`

/** How long recovery may take: `I4` of the invariants says 60 seconds. */
const RECOVERED_WITHIN_MS = 60_000

/** The world of the service's database, read by the test itself. */
export async function openReader(cluster: Cluster, clock = systemClock) {
  const config = readConfig({ ...cluster.settings }, systemRandom)
  const db = await openPostgres(cluster.database_url.href, openLog('silent'))
  return { config, db, clock, random: systemRandom, keys: keyRing(config.secret_keys) }
}

export type Reader = Awaited<ReturnType<typeof openReader>>

/**
 * Asserts, as soon as nothing is pending, that the invariants are true, that the books agree, that
 * every buyer was charged once and has one license, and that every key that was shown works.
 */
export async function assertSound(
  cluster: Cluster,
  { keys, clock }: Partial<Pick<Load, 'keys'>> & { clock?: typeof systemClock } = {},
): Promise<void> {
  const world = await openReader(cluster, clock)
  try {
    let pending: object[] = []
    await until(
      'nothing is pending',
      async () => {
        pending = await world.db.rows<object>(pendingAt(world.clock.now()))
        return pending.length === 0
      },
      RECOVERED_WITHIN_MS,
    ).catch((error: Error) => {
      throw new Error(`${error.message}: ${JSON.stringify(pending)}`)
    })
    await assertRules(world)
    if (!keys) return
    await assertPurchases(world.db, [...keys.keys()])
    for (const key of keys.values()) assert.equal(await validate(cluster, [], key), 200)
  } finally {
    await world.db.close()
  }
}

/** Asserts the invariants, the rules of the simulation, and the books. */
async function assertRules(world: Reader): Promise<void> {
  await assertInvariants({ world, clock: world.clock } as unknown as TestService)
  for (const { rule, broken } of RULES) {
    const rows = await world.db.rows(broken(world.clock.now()))
    assert.deepEqual(rows, [], rule)
  }
}

/** What a node without jobs leaves: emails are sent, and events received, by the next one. */
const LEFT_TO_JOBS = ['email', 'processor event']

/** Payments, refunds, payouts and renewals that are pending. */
export async function unrecovered(world: Reader): Promise<object[]> {
  const pending = await world.db.rows<{ what: string }>(pendingAt(world.clock.now()))
  return pending.filter(({ what }) => !LEFT_TO_JOBS.includes(what))
}

/** Asserts that none is, and the invariants and the books: of a node that runs no jobs. */
export async function assertRecovered(world: Reader): Promise<void> {
  assert.deepEqual(await unrecovered(world), [], 'nothing is pending after the recovery')
  await assertRules(world)
}

/** Asserts that each buyer was charged once at the processor, and has one order and license. */
export async function assertPurchases(db: Reader['db'], emails: string[]): Promise<void> {
  const wrong = await db.rows(sql`select e.email,
      (select count(*) from sandbox.charges s join attempts a on a.id = s.key
        join invoices i on i.id = a.invoice_id
        where s.status = 'succeeded' and i.kind = 'purchase' and a.email_normalized = e.email)
        as charges,
      (select count(*) from orders o where o.user_id = u.id) as orders,
      (select count(*) from licenses l where l.user_id = u.id and l.status <> 'canceled') as licenses
    from unnest(${emails}::text[]) as e (email)
      left join users u on u.email_normalized = e.email`)
  for (const row of wrong as { charges: number; orders: number; licenses: number }[]) {
    assert.deepEqual(
      { charges: row.charges, orders: row.orders, licenses: row.licenses },
      { charges: 1, orders: 1, licenses: 1 },
    )
  }
}

/** How quickly a loss is answered where the service cannot do what was asked. */
const REFUSED_WITHIN_MS = 2_500

/** Asserts that every answer was one of success, or a 503 within two seconds and little more. */
export function assertClear(answers: readonly Answer[]): void {
  const unclear = answers.filter(({ status }) => status === 0 || (status >= 500 && status !== 503))
  assert.deepEqual(unclear, [], 'every answer is a success or a 503')
  const slow = answers.filter(({ status, ms }) => status === 503 && ms > REFUSED_WITHIN_MS)
  assert.deepEqual(slow, [], 'a 503 comes within two seconds')
}
