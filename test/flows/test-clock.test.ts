import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import { ProcessorUnreachable } from '#domain/payments'
import * as payouts from '#domain/payouts'
import { deletionBlocks } from '#flows/account'
import { payWeekly, readPayeeBalance } from '#flows/pay-out'
import { setAutoRenew } from '#flows/subscription'
import { advanceClock } from '#flows/test-clock'
import type { World } from '#flows/world'
import { addDays, addSeconds, isoSeconds } from '#platform/calendar'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { addApp, type OtherApp } from '../support/apps.ts'
import { CARD } from '../support/cards.ts'
import { testId } from '../support/ids.ts'
import { assertInvariants } from '../support/invariants.ts'
import { payeeOf, withBank } from '../support/payees.ts'
import { sellerActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, runDue, type Subscriber, stateOf, subscribe } from '../support/subscriber.ts'
import { advanceTestClock, clockWorkFor, timeOf } from '../support/test-clock.ts'

/**
 * A seller with a bank account, an app that renews monthly, and a subscriber for each kind of
 * event.
 */
async function trade(service: TestService): Promise<{ app: OtherApp; people: Subscriber[] }> {
  await withBank(service, 'seller')
  const monthly = await addApp(service, { slug: 'monthly', amount: cents(1900) })
  const cards = [
    CARD.good,
    CARD.renews_on_retry_2,
    CARD.never_renews,
    CARD.not_received,
    CARD.mastercard,
  ]
  const people: Subscriber[] = []
  for (const card of cards) people.push(await subscribe(service, { app: monthly, card }))
  const leaver = people.at(-1)!
  const actor = { kind: 'buyer', user_id: leaver.user_id, request_id: 'req_test' } as const
  await setAutoRenew(service.world, actor, { license_id: leaver.license_id, to: 'off' })
  return { app: monthly, people }
}

/** The content of the tables after a time, without random values. */
async function booksOf({ world }: TestService, { app, people }: Awaited<ReturnType<typeof trade>>) {
  const { db } = world
  const licenses = await db.rows(sql`select status, period_end, canceled_at from licenses
    where app_id = ${app.client_id} order by array_position(${people.map((p) => p.license_id)}, id)`)
  const invoices = await db.rows(sql`select kind, status, period_index, period_start, period_end,
      amount, tax, fee, paid_at from invoices
    where app_id = ${app.client_id}
    order by array_position(${people.map((p) => p.license_id)}, license_id), created_at, number`)
  const history = await db.rows(sql`select h.at, h.from_status, h.to_status, h.trigger
    from license_history h join licenses l on l.id = h.license_id where l.app_id = ${app.client_id}
    order by array_position(${people.map((p) => p.license_id)}, l.id), h.id`)
  const ledger = await db.rows(sql`select e.account, t.event, sum(e.amount)::bigint as amount,
      count(*) as lines
    from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    group by e.account, t.event order by e.account, t.event`)
  const payouts = await db.rows(sql`select amount, status, cause from payouts order by number`)
  return { licenses, invoices, history, ledger, payouts }
}

test('a year in one advance creates the same books as day by day, and as in real time', async () => {
  const advancing = await openTestService()
  const advanced = await trade(advancing)
  const moments: Date[] = []
  const outcome = await advanceTestClock(advancing, advanced.app.client_id, 365, async ({ at }) => {
    moments.push(at)
  })
  assert.equal(outcome.outcome, 'there')
  const inOneAdvance = await booksOf(advancing, advanced)
  assert.deepEqual(
    moments,
    moments.toSorted((a, b) => a.getTime() - b.getTime()),
  )
  await assertInvariants(advancing)
  await advancing.close()

  const waiting = await openTestService()
  const waited = await trade(waiting)
  for (let day = 0; day <= 365; day++) {
    if (day > 0) waiting.clock.pass(DAY)
    await runDue(waiting)
    while ((await handleEvents(waiting.world)) > 0);
    await payWeekly(waiting.world)
  }
  const dayByDay = await booksOf(waiting, waited)
  await waiting.close()

  assert.deepEqual(inOneAdvance, dayByDay)
  const statuses = inOneAdvance.licenses.map((license) => (license as { status: string }).status)
  assert.deepEqual(statuses, ['active', 'past_due', 'canceled', 'canceled', 'canceled'])
  assert.equal(inOneAdvance.invoices.length, 13 + 13 + 2 + 1 + 1)
  assert.ok(inOneAdvance.payouts.length > 10)
})

describe('the test clock of an app', () => {
  let service: TestService
  let isAway = false
  const onALine = (sandbox: World['processor']): World['processor'] => ({
    ...sandbox,
    async charge(now, request) {
      if (isAway && request.off_session) throw new ProcessorUnreachable('the line is cut')
      return await sandbox.charge(now, request)
    },
  })
  const app = (slug: string, facts: Partial<Parameters<typeof addApp>[1]> = {}) =>
    addApp(service, { slug, ...facts })

  before(async () => {
    service = await openTestService({ processor: onALine })
  })
  after(async () => {
    await assertInvariants(service)
    await service.close()
  })

  test('stops at every due event, so that each day of a daily plan has its own invoice', async () => {
    const daily = await app('daily', { frequency: 'day', amount: cents(100) })
    const subscriber = await subscribe(service, { app: daily })
    const start = await timeOf(service, daily.client_id)
    await advanceTestClock(service, daily.client_id, 30)
    const paid = await service.world.db.rows<{ paid_at: Date }>(sql`select paid_at from invoices
      where license_id = ${subscriber.license_id} order by number`)
    const days = Array.from({ length: 31 }, (_, day) => addDays(start, day))
    assert.deepEqual(
      paid.map(({ paid_at }) => paid_at),
      days,
    )
  })

  test('never goes back', async () => {
    const once = await app('forth')
    await advanceTestClock(service, once.client_id, 10)
    const there = await timeOf(service, once.client_id)
    const back = await advanceTestClock(service, once.client_id, addDays(there, -1))
    assert.deepEqual(back, { outcome: 'refused' })
    assert.deepEqual(await timeOf(service, once.client_id), there)
    await apps.setClockAhead(service.world.db, once.client_id, 0)
    assert.deepEqual(await timeOf(service, once.client_id), there)
  })

  test('does not exist in live mode', async () => {
    const real = await app('real')
    const processor = { ...service.world.processor, has_test_clock: false }
    const world: World = { ...service.world, processor }
    const requested = {
      user_id: testId('usr_test'),
      request_id: 'req_test',
      to: addDays(service.clock.now(), 1),
    }
    const work = clockWorkFor(service, real.client_id)
    const outcome = await advanceClock(world, { ...requested, app_id: real.client_id }, work)
    assert.deepEqual(outcome, { outcome: 'refused' })
    assert.deepEqual(await timeOf(service, real.client_id), service.clock.now())
  })

  test('is its own: other apps keep real time', async () => {
    const [ahead, still] = [await app('ahead'), await app('still')]
    const mover = await subscribe(service, { app: ahead, card: CARD.not_received })
    const stayer = await subscribe(service, { app: still, card: CARD.not_received })
    await handleEvents(service.world)
    await advanceTestClock(service, ahead.client_id, 40)
    assert.equal((await stateOf(service, mover)).status, 'canceled')
    assert.equal((await stateOf(service, stayer)).status, 'paused')
    await advanceTestClock(service, still.client_id, 7)
    assert.equal((await stateOf(service, stayer)).status, 'canceled')
  })

  test('dates a purchase: the first period ends a month after the app’s current day', async () => {
    const future = await app('future')
    await advanceTestClock(service, future.client_id, 100)
    const subscriber = await subscribe(service, { app: future })
    const { period_end } = await stateOf(service, subscriber)
    assert.equal(period_end, '2026-07-18')
  })

  test('decides which earnings can be paid out, also where they block a deletion', async () => {
    const earning = await app('earning')
    await subscribe(service, { app: earning })
    await advanceTestClock(service, earning.client_id, 8)
    const payee = await payeeOf(service, 'seller')
    const { db, clock } = service.world
    const { total, pending_total } = await readPayeeBalance(service.world, payee)
    const unmoved = await payouts.payeeBalance(db, clock.now(), payee)
    assert.notEqual(pending_total, unmoved.pending_total)
    const { user_id } = await sellerActor(service)
    const blocks = await deletionBlocks(service.world, user_id)
    const block = blocks.find(({ kind }) => kind === 'balance')
    assert.partialDeepStrictEqual(block, { balance: { payee, total, pending_total } })
  })

  test('stops if the processor does not respond, and continues when it does', async () => {
    const far = await app('far')
    const subscriber = await subscribe(service, { app: far })
    const due = (await billing.nextDueAt(service.world.db, far.client_id))!
    isAway = true
    const stuck = await advanceTestClock(service, far.client_id, 60)
    isAway = false
    assert.equal(stuck.outcome, 'stuck')
    const now = await timeOf(service, far.client_id)
    assert.ok(now >= due && now < addSeconds(due, 60), `it is at ${now}`)
    assert.equal((await stateOf(service, subscriber)).status, 'active')
    // The service finds that nothing was charged, and retries an hour later.
    service.clock.pass(20)
    await clockWorkFor(service, far.client_id).wait()
    const on = await advanceTestClock(service, far.client_id, 60)
    assert.equal(on.outcome, 'there')
    assert.equal((await stateOf(service, subscriber)).status, 'active')
  })

  test('waits for a late answer, and for a subscription that another worker is processing', async () => {
    const late = await app('late')
    const subscriber = await subscribe(service, { app: late })
    await service.world.db.run(sql`update sandbox.cards set behavior = 'loses_answer'
      where token = (select token from cards where user_id = ${subscriber.user_id})`)
    const until = addSeconds(service.clock.now(), 4)
    await service.world.db.run(sql`update subscriptions set claimed_until = ${until}
      where license_id = ${subscriber.license_id}`)
    const { outcome } = await advanceTestClock(service, late.client_id, 35)
    assert.equal(outcome, 'there')
    assert.equal((await stateOf(service, subscriber)).period_end?.slice(5, 7), '05')
  })

  test('two concurrent advances both arrive, and nothing is charged twice', async () => {
    const twice = await app('twice', { frequency: 'week', amount: cents(300) })
    const subscriber = await subscribe(service, { app: twice })
    const to = addDays(await timeOf(service, twice.client_id), 70)
    const advances = [
      advanceTestClock(service, twice.client_id, to),
      advanceTestClock(service, twice.client_id, to),
    ]
    const outcomes = (await Promise.all(advances)).map(({ outcome }) => outcome)
    assert.deepEqual(outcomes, ['there', 'there'])
    const { count } = await service.world.db.one<{ count: number }>(sql`select count(*) as count
      from invoices where license_id = ${subscriber.license_id} and status = 'paid'`)
    assert.equal(count, 11)
  })

  test('stops cleanly on request', async () => {
    const halted = await app('halted', { frequency: 'day', amount: cents(200) })
    const subscriber = await subscribe(service, { app: halted })
    let stops = 0
    const advancing = advanceTestClock(service, halted.client_id, 30, async () => {
      if (++stops === 5) throw new Error('stop')
    })
    await assert.rejects(advancing, /stop/)
    const { period_end } = await stateOf(service, subscriber)
    assert.equal((await advanceTestClock(service, halted.client_id, 5)).outcome, 'there')
    assert.notEqual((await stateOf(service, subscriber)).period_end, period_end)
  })

  test('every advance is recorded in the audit log', async () => {
    const logged = await app('logged')
    const from = await timeOf(service, logged.client_id)
    await advanceTestClock(service, logged.client_id, 3)
    const lines = await service.world.db.rows<{ detail: object }>(sql`select detail from audit_log
      where action = 'app.clock_advanced' and subject = ${logged.client_id}`)
    const detail = { from: isoSeconds(from), to: isoSeconds(addDays(from, 3)) }
    assert.deepEqual(lines, [{ detail }])
  })
})
