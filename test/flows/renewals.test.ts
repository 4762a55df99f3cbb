import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import { reconcile } from '#flows/payment'
import { payOwed, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import type { StoredEmail } from '#platform/email-queue'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { BUYER_EMAILS } from '../../src/surfaces/emails/buyer.ts'
import { changePrice } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { ManualClock } from '../support/clock.ts'
import { assertInvariants, assertInvariantsAndClose } from '../support/invariants.ts'
import { chargedAmounts } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { signInAs } from '../support/sign-in.ts'
import {
  buyerActor,
  DAY,
  invoicesOf,
  otherApp,
  passDays,
  runDue,
  stateOf,
  subscribe,
} from '../support/subscriber.ts'

let service: TestService
let isAway = false

/** The processor behind a connection that can be cut. */
function onALine(sandbox: World['processor']): World['processor'] {
  return {
    ...sandbox,
    async charge(now, request) {
      if (isAway) throw new payments.ProcessorUnreachable('the line is cut')
      return await sandbox.charge(now, request)
    },
  }
}

before(async () => {
  service = await openTestService({ processor: onALine })
})
after(() => assertInvariantsAndClose(service))

describe('a subscription renews', () => {
  test('charges the next month a month later, with the tax of the state, on the same day', async () => {
    const subscriber = await subscribe(service)
    const { period_end } = await stateOf(service, subscriber)
    await passDays(service, 32)
    const state = await stateOf(service, subscriber)
    assert.equal(state.status, 'active')
    assert.equal(state.period_end?.slice(8), period_end?.slice(8))
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
    await passDays(service, 31)
    assert.equal((await chargedAmounts(service, subscriber.email)).length, 3)
  })

  test('charges the agreed price, whatever the plan costs now', async () => {
    const app = await otherApp(service, { amount: cents(900) })
    const subscriber = await subscribe(service, { app })
    await changePrice(service, { id: app.price_id, amount: cents(5000) })
    await passDays(service, 31)
    const amounts = (await invoicesOf(service, subscriber)).map(({ amount }) => amount)
    assert.deepEqual(amounts, [900, 900])
  })

  for (const [frequency, start] of [
    ['month', '2027-01-31T09:30:00Z'],
    ['year', '2028-02-29T09:30:00Z'],
  ] as const) {
    test(`48 renewals by the ${frequency} from ${start} fall on the days of the calendar`, async () => {
      const clock = new ManualClock(start)
      const own = await openTestService({ clock })
      const app = await otherApp(own, { frequency })
      const subscriber = await subscribe(own, { app })
      const expected: string[] = []
      for (let number = 1; number <= 48; number++) {
        const [year, month, day] = [start.slice(0, 4), start.slice(5, 7), start.slice(8, 10)].map(
          Number,
        ) as [number, number, number]
        const months = month - 1 + (frequency === 'month' ? number : 12 * number)
        const last = new Date(Date.UTC(year, months + 1, 0)).getUTCDate()
        const at = new Date(Date.UTC(year, months, Math.min(day, last)))
        expected.push(at.toISOString().slice(0, 10))
      }
      const seen: string[] = []
      for (let number = 1; number <= 48; number++) {
        const { period_end } = await stateOf(own, subscriber)
        seen.push(period_end!)
        const due = new Date(`${period_end}T09:30:00Z`).getTime()
        clock.pass((due - clock.now().getTime()) / 1000)
        await runDue(own)
      }
      assert.deepEqual(seen, expected)
      assert.equal((await invoicesOf(own, subscriber)).length, 49)
      await assertInvariants(own)
      await own.close()
    })
  }
})

describe('a renewal that fails', () => {
  for (const [card, retry_day] of [
    [CARD.renews_on_retry_1, 1],
    [CARD.renews_on_retry_2, 3],
    [CARD.renews_on_retry_3, 5],
  ] as const) {
    test(`is retried on schedule: the same key is active again on day ${retry_day}`, async () => {
      const subscriber = await subscribe(service, { card })
      const before = await stateOf(service, subscriber)
      service.clock.pass(31 * DAY)
      await runDue(service)
      const failed = await stateOf(service, subscriber)
      assert.deepEqual(
        [failed.status, failed.entitled, failed.period_end],
        ['past_due', false, before.period_end],
      )
      await passDays(service, retry_day - 1)
      assert.equal(
        (await stateOf(service, subscriber)).status,
        retry_day === 1 ? 'past_due' : 'past_due',
      )
      await passDays(service, 1)
      const state = await stateOf(service, subscriber)
      assert.deepEqual([state.status, state.entitled], ['active', true])
      assert.equal(state.period_end?.slice(8), before.period_end?.slice(8))
    })
  }

  test('is past due for 14 days, unpaid until day 21, and then canceled permanently', async () => {
    const subscriber = await subscribe(service, { card: CARD.never_renews })
    service.clock.pass(31 * DAY)
    await runDue(service)
    const seen: string[] = []
    for (let day = 0; day <= 22; day++) {
      seen.push((await stateOf(service, subscriber)).status)
      await passDays(service, 1)
    }
    assert.deepEqual(seen, [
      ...Array(14).fill('past_due'),
      ...Array(7).fill('unpaid'),
      'canceled',
      'canceled',
    ])
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260])
  })

  test('does not count network failures, and retries an hour later', async () => {
    const subscriber = await subscribe(service)
    service.clock.pass(31 * DAY)
    isAway = true
    await runDue(service)
    service.clock.pass(30)
    isAway = false
    await reconcile(service.world)
    await runDue(service)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260])
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    service.clock.pass(3600)
    await runDue(service)
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  })

  test('can be paid by the buyer at any time, without using up a scheduled retry', async () => {
    const subscriber = await subscribe(service, { card: CARD.never_renews })
    service.clock.pass(31 * DAY)
    await runDue(service)
    const { license_id } = subscriber
    const paid = await payOwed(service.world, {
      license_id,
      requested_by: 'staff',
      return_url: 'http://localhost/',
    })
    assert.equal(paid.outcome, 'declined')
    await passDays(service, 13)
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
    await passDays(service, 1)
    assert.equal((await stateOf(service, subscriber)).status, 'unpaid')
    await passDays(service, 8)
  })
})

// M9
describe('a renewal that is paid late', () => {
  test('an hour before the next period pays for a week from then, and not twice within the hour', async () => {
    const app = await otherApp(service, { frequency: 'week', amount: cents(1200) })
    const subscriber = await subscribe(service, { app, card: CARD.never_renews })
    const { license_id } = subscriber
    await passDays(service, 7)
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
    await service.world.db.run(sql`update sandbox.cards set behavior = 'succeeds'
      where token in (select token from cards where user_id = ${subscriber.user_id})`)
    service.clock.pass(7 * DAY - 3600)
    const paid = await payOwed(service.world, {
      license_id,
      requested_by: 'buyer',
      return_url: '/',
    })
    assert.equal(paid.outcome, 'paid')
    const [, late] = await invoicesOf(service, subscriber)
    assert.deepEqual(late?.period_start, service.clock.now())
    service.clock.pass(7 * DAY - 1)
    await runDue(service)
    assert.equal((await invoicesOf(service, subscriber)).length, 2)
    service.clock.pass(1)
    await runDue(service)
    assert.equal((await invoicesOf(service, subscriber)).length, 3)
  })

  test('within the first half of its period keeps the anchor', async () => {
    const app = await otherApp(service, { frequency: 'week', amount: cents(1200) })
    const subscriber = await subscribe(service, { app })
    const [first] = await invoicesOf(service, subscriber)
    service.clock.pass(10 * DAY)
    await runDue(service)
    const [, late] = await invoicesOf(service, subscriber)
    assert.deepEqual(late?.period_start, first?.period_end)
  })
})

describe('auto-renew turned off', () => {
  test('keeps the license until the period ends, and says when', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'off' })
    const state = await stateOf(service, subscriber)
    assert.deepEqual([state.status, state.entitled], ['active', true])
    assert.equal(state.canceled_at, state.period_end)
    await passDays(service, 32)
    const ended = await stateOf(service, subscriber)
    assert.deepEqual([ended.status, ended.entitled], ['canceled', false])
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260])
  })

  test('counts as off while the account is locked, as its owner cannot turn it off', async () => {
    const { db } = service.world
    const disowned = await subscribe(service)
    const unlocked = await subscribe(service)
    for (const { user_id } of [disowned, unlocked]) {
      await identity.lockUser(db, service.clock.now(), user_id)
    }
    await passDays(service, 5)
    await identity.unlockUser(db, unlocked.user_id)
    await passDays(service, 27)
    assert.equal((await stateOf(service, disowned)).status, 'canceled')
    assert.equal((await stateOf(service, unlocked)).status, 'active')
    assert.deepEqual(await chargedAmounts(service, disowned.email), [1260])
    assert.deepEqual(await chargedAmounts(service, unlocked.email), [1260, 1260])
  })

  test('while a renewal is being paid does not promise that nothing is charged', async () => {
    const subscriber = await subscribe(service)
    const { agent, app, license_id } = subscriber
    service.clock.pass(31 * DAY)
    isAway = true
    await runDue(service)
    isAway = false
    await signInAs(service, subscriber, { agent })
    await agent.open(`/manage/${app.client_id}/auto-renew/`)
    await agent.submit('Cancel subscription')
    const about = { subject_id: license_id } as unknown as StoredEmail
    const { content } = (await BUYER_EMAILS.subscription_canceled(service.world, about))!
    for (const text of [agent.text, JSON.stringify(content)]) {
      assert.match(text, /A payment that began before is still being processed/)
      assert.doesNotMatch(text, /Nothing more is charged/)
    }
    service.clock.pass(30)
    await reconcile(service.world)
    await passDays(service, 1)
    assert.equal((await stateOf(service, subscriber)).status, 'canceled')
  })

  test('and on again renews as before', async () => {
    const subscriber = await subscribe(service)
    const { license_id } = subscriber
    await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'off' })
    await setAutoRenew(service.world, buyerActor(subscriber), { license_id, to: 'on' })
    assert.equal((await stateOf(service, subscriber)).canceled_at, null)
    await passDays(service, 32)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [1260, 1260])
  })
})

describe('a trial', () => {
  test('is charged when it ends, and is active from then on', async () => {
    const app = await otherApp(service, { trial_days: 14, amount: cents(2000) })
    const subscriber = await subscribe(service, { app })
    assert.equal((await stateOf(service, subscriber)).status, 'trialing')
    await passDays(service, 13)
    assert.equal((await stateOf(service, subscriber)).status, 'trialing')
    await passDays(service, 1)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    assert.deepEqual(await chargedAmounts(service, subscriber.email), [0, 2100])
  })

  test('is past due if its first charge is declined', async () => {
    const app = await otherApp(service, { trial_days: 7 })
    const subscriber = await subscribe(service, { app, card: CARD.verifies_only })
    await passDays(service, 7)
    assert.equal((await stateOf(service, subscriber)).status, 'past_due')
  })
})
