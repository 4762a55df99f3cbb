import assert from 'node:assert/strict'
import { after, before, beforeEach, test } from 'node:test'
import * as payments from '#domain/payments'
import { reconcile } from '#flows/payment'
import { setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, runDue, type Subscriber, stateOf, subscribe } from '../support/subscriber.ts'

// M1: an attempt that is open for an hour is shown to staff, who can close it.

let service: TestService
let staff: Agent
let fate: 'works' | 'answer lost' | 'broken' = 'works'
/** Attempts that the processor answers in an unknown format. */
let isBroken = (_key: string) => false

/** A processor whose answers are lost, or that fails on each lookup. */
function failing(sandbox: World['processor']): World['processor'] {
  const ask = async <Answer>(call: () => Promise<Answer>): Promise<Answer> => {
    if (fate === 'broken') throw new Error('an answer in an unknown format')
    return await call()
  }
  return {
    ...sandbox,
    async find(key) {
      if (isBroken(key)) throw new Error('an answer in an unknown format')
      return await ask(() => sandbox.find(key))
    },
    close: (now, key) => ask(() => sandbox.close(now, key)),
    async charge(now, request) {
      const answer = await ask(() => sandbox.charge(now, request))
      if (fate === 'answer lost') throw new payments.ProcessorUnreachable('the answer is lost')
      return answer
    },
  }
}

before(async () => {
  service = await openTestService({ processor: failing })
})
beforeEach(() => {
  fate = 'works'
})
after(() => assertInvariantsAndClose(service))

/** A subscription whose renewal meets a fate; from then on the processor works. */
async function renewed(how: typeof fate): Promise<Subscriber> {
  const subscriber = await subscribe(service)
  service.clock.pass(31 * DAY)
  fate = how
  await runDue(service)
  fate = 'works'
  return subscriber
}

/** A renewal whose attempt stays open for more than an hour. */
async function stuck(how: 'answer lost' | 'broken'): Promise<Subscriber> {
  const subscriber = await renewed(how)
  fate = 'broken'
  service.clock.pass(3601)
  await reconcile(service.world)
  staff = await signedIn(service, service.demo.operator)
  await staff.open('/admin/cases/')
  assert.match(staff.text, new RegExp(`open for over an hour.*${subscriber.email}`))
  return subscriber
}

const close = (fields: Record<string, string> = {}) =>
  staff.submit('Close', { reason: 'Looked at the processor.', ...fields })

test('an attempt that the processor never answers is closed once staff confirm that nothing was charged', async () => {
  const subscriber = await stuck('broken')
  await close()
  assert.match(staff.text, /does not respond/)
  await close({ nothing_charged: 'yes' })
  assert.match(staff.text, /Payment attempt closed\. Nothing was charged/)
  assert.doesNotMatch(staff.text, /open for over an hour/)
  fate = 'works'
  service.clock.pass(3600)
  await runDue(service)
  assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  assert.equal((await stateOf(service, subscriber)).status, 'active')
  const noted = sql`select count(*) as count from audit_log where action = 'attempt.closed'`
  assert.equal((await service.world.db.one<{ count: number }>(noted)).count, 2)
  const { license_id, user_id } = subscriber
  const actor = { kind: 'buyer', user_id, request_id: 'req_test' } as const
  await setAutoRenew(service.world, actor, { license_id, to: 'off' })
})

test("the processor's answer takes precedence over staff: a charge is booked", async () => {
  const subscriber = await stuck('answer lost')
  fate = 'works'
  await close({ nothing_charged: 'yes' })
  assert.match(staff.text, /The processor reports a charge/)
  assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  assert.equal((await stateOf(service, subscriber)).status, 'active')
})

/** Attempts of other buyers that are a minute older, with ids that begin with `att_` and the name. */
async function addEarlier(
  { license_id }: Subscriber,
  { name, status, count }: { name: string; status: payments.PendingStatus; count: number },
): Promise<void> {
  const created_at = addSeconds(service.clock.now(), -60)
  await service.world.db.run(sql`insert into attempts (id, invoice_id, requested_by, app_id,
      email_normalized, amount, card, status, created_at)
    select ${`att_${name}_`} || n, i.id, 'buyer', i.app_id, ${name} || n || '@example.com', 1, '{}',
      ${status}, ${created_at}
    from (select id, app_id from invoices where license_id = ${license_id} limit 1) i,
      generate_series(1, ${count}::int) n`)
}

test('a lost answer is found however many buyers are at the pages of their banks', async () => {
  const { db } = service.world
  const subscriber = await renewed('answer lost')
  await addEarlier(subscriber, { name: 'away', status: 'action_required', count: 200 })
  service.clock.pass(5)
  await reconcile(service.world)
  const away = { status: 'action_required', before: service.clock.now() } as const
  assert.equal((await payments.pendingAttempts(db, away, { limit: 1000 })).length, 200)
  await db.run(sql`delete from attempts where id like 'att_away_%'`)
  assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  const open = sql`select id from attempts where status = 'open'`
  assert.deepEqual(await db.rows(open), [])
})

for (const status of ['open', 'action_required'] as const) {
  test(`an attempt is settled however many earlier ones fail that are ${status}`, async () => {
    const { db } = service.world
    const subscriber = await renewed('answer lost')
    const renewal = sql`where email_normalized = ${subscriber.email} and status = 'open'`
    assert.equal(await db.run(sql`update attempts set status = ${status} ${renewal}`), 1)
    await addEarlier(subscriber, { name: 'broken', status, count: 1000 })
    service.clock.pass(5)
    isBroken = (key) => key.startsWith('att_broken_')
    await reconcile(service.world)
    isBroken = () => false
    await db.run(sql`delete from attempts where id like 'att_broken_%'`)
    const settled = sql`select status from attempts where email_normalized = ${subscriber.email}`
    assert.deepEqual(await db.rows(settled), [{ status: 'succeeded' }, { status: 'succeeded' }])
  })
}
