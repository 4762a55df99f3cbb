import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import { extendTrial, setAutoRenew } from '#flows/subscription'
import type { ActorOf } from '#platform/audit'
import { addDays, isoDate } from '#platform/calendar'
import { sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { sellerActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import {
  buyerActor,
  invoicesOf,
  otherApp,
  passDays,
  type Subscriber,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

const REASON = 'They need more time.'

let service: TestService
let seller: ActorOf<'seller'>
before(async () => {
  service = await openTestService()
  seller = await sellerActor(service)
})
after(() => assertInvariantsAndClose(service))

/** A subscriber whose trial of a week begins now. */
async function trying(): Promise<Subscriber> {
  const app = await otherApp(service, { trial_days: 7 })
  return await subscribe(service, { app })
}

async function extend({ license_id }: Subscriber, days: number) {
  const { db } = service.world
  const { period_end: from } = (await billing.subscriptionOf(db, license_id))!
  return await extendTrial(service.world, seller, { license_id, from, days, reason: REASON })
}

async function remindersOf({ license_id }: Subscriber): Promise<number> {
  const { count } = await service.world.db.one<{ count: number }>(sql`select count(*)
    from emails where kind = 'trial_ending' and subject_id = ${license_id}`)
  return count
}

test('an extended trial is charged once, at its new end, and reminded of it', async () => {
  const trial = await trying()
  await passDays(service, 5)
  assert.equal(await remindersOf(trial), 1)
  const extended = await extend(trial, 10)
  assert.ok(extended.outcome === 'extended')
  await passDays(service, 11)
  assert.equal(await remindersOf(trial), 2)
  assert.equal((await stateOf(service, trial)).status, 'trialing')
  assert.deepEqual(await invoicesOf(service, trial), [])
  await passDays(service, 2)
  assert.equal((await stateOf(service, trial)).status, 'active')
  const [invoice, ...rest] = await invoicesOf(service, trial)
  assert.deepEqual([invoice?.period_start, rest.length], [extended.period_end, 0])
  const [entry] = await service.world.db.rows<{ detail: { days: number; reason: string } }>(
    sql`select detail from audit_log where action = 'license.trial_extended'`,
  )
  assert.deepEqual([entry?.detail.days, entry?.detail.reason], [10, REASON])
})

test('a canceled trial ends at its new end', async () => {
  const trial = await trying()
  await setAutoRenew(service.world, buyerActor(trial), { ...trial, to: 'off' })
  await extend(trial, 7)
  await passDays(service, 8)
  const state = await stateOf(service, trial)
  assert.deepEqual([state.status, state.canceled_at], ['trialing', state.period_end])
  await passDays(service, 7)
  assert.equal((await stateOf(service, trial)).status, 'canceled')
  assert.deepEqual(await invoicesOf(service, trial), [])
})

test('nothing but a trial is extended', async () => {
  const trial = await trying()
  await passDays(service, 8)
  assert.equal((await extend(trial, 7)).outcome, 'no_trial')
  await assert.rejects(extend(trial, 91), RangeError)
})

test('a form that is sent twice extends a trial once, and one from before another changes nothing', async () => {
  const app = await otherApp(service, { trial_days: 7 })
  const trial = await subscribe(service, { app })
  const { period_end: before } = await stateOf(service, trial)
  const { slug } = await apps.get(service.world.db, app.client_id)
  const agent = await signedIn(service, service.demo.seller)
  await agent.open(`/dashboard/apps/${slug}/customers/${trial.license_id}/extend-trial/`)
  const tabs = [agent.tab(), agent.tab()]
  for (const tab of tabs) {
    const page = await tab.submit('Extend trial', { days: '7', reason: REASON })
    assert.match(textOf(page.body), /Trial extended/)
  }
  const extended = isoDate(addDays(new Date(String(before)), 7))
  assert.equal((await stateOf(service, trial)).period_end, extended)
  const page = await agent.submit('Extend trial', { days: '3', reason: REASON })
  assert.match(textOf(page.body), /Nothing was changed/)
  assert.equal((await stateOf(service, trial)).period_end, extended)
})
