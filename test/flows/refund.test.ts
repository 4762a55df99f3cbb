import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as payments from '#domain/payments'
import { checkBooks } from '#flows/check-books'
import { reconcile } from '#flows/payment'
import { quoteRefund, reconcileRefunds, refundCharge } from '#flows/refund'
import { changePlan, quotePlanChange, renewDue } from '#flows/subscription'
import type { World } from '#flows/world'
import type { InvoiceId, UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { schedule } from '../../src/sandbox/events.ts'
import { openAlarms } from '../support/alarms.ts'
import { KILL_STRIDE } from '../support/budget.ts'
import { CARD } from '../support/cards.ts'
import { openTestDatabase, SERVER_URL } from '../support/database.ts'
import {
  bankSandbox,
  decideDispute,
  disputeCharge,
  latestCharge,
  owedToSeller,
} from '../support/disputes.ts'
import { assertInvariants, assertInvariantsAndClose } from '../support/invariants.ts'
import { killableDatabase, untilKilled } from '../support/killable-database.ts'
import { type CallFate, callThrough } from '../support/network-faults.ts'
import {
  advanceAndHandleEvents,
  type Bought,
  buy,
  postedTotals,
  refund,
  refundsOf,
  sellerActor,
  stateOf,
  subscriptionOf,
} from '../support/refunds.ts'
import { addSellerWithApp } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const PENDING = '4000000000007726'

/** What the network does with the next call to the processor. */
let fateOf: CallFate = () => 'arrives'
/** Refunds that the processor answers in an unknown format. */
let isBroken = (_key: string) => false
let service: TestService
before(async () => {
  const db = killableDatabase(await openTestDatabase())
  service = await openTestService({ db, processor: withFates })
})
after(() => assertInvariantsAndClose(service))

function withFates(sandbox: World['processor']): World['processor'] {
  const through = callThrough(() => fateOf())
  return {
    ...sandbox,
    charge: (now, request) => through(() => sandbox.charge(now, request)),
    async refund(now, request) {
      if (isBroken(request.key)) throw new Error('an answer in an unknown format')
      return await through(() => sandbox.refund(now, request))
    },
  }
}

const ids = (refunds: payments.Refund[]) => refunds.map(({ id }) => id)

describe('a refund that was made at the processor', () => {
  // M13
  test('is booked like one of the service, ends the license if it is complete, and alerts staff', async () => {
    const bought = await buy(service)
    const before = await owedToSeller(service)
    const { processor_charge_id: charge_id, amount } = bought.charge
    const made = { charge_id, amount }
    await bankSandbox(service).refundOutside(service.clock.now(), made)
    await handleEvents(service.world)
    await handleEvents(service.world)
    const [refund, ...more] = await refundsOf(service, bought)
    assert.deepEqual(more, [])
    assert.partialDeepStrictEqual(refund, {
      amount,
      status: 'succeeded',
      requested_by: 'processor',
    })
    assert.equal((await stateOf(service, bought)).status, 'canceled')
    assert.ok((await owedToSeller(service)) < before)
    const alarms = await openAlarms(service.world.db)
    assert.ok(alarms.some(({ href }) => href === `/admin/sales/${bought.invoice_id}/`))
    const { differences } = await checkBooks(service.world)
    assert.deepEqual(differences, [])
  })

  // M13
  test('keeps the license if it is partial', async () => {
    const bought = await buy(service)
    const made = { charge_id: bought.charge.processor_charge_id, amount: cents(200) }
    await bankSandbox(service).refundOutside(service.clock.now(), made)
    await handleEvents(service.world)
    assert.equal((await stateOf(service, bought)).status, 'active')
    const { differences } = await checkBooks(service.world)
    assert.deepEqual(differences, [])
  })
})

describe('a refund', () => {
  test('of everything cancels the license at once, and the service keeps its 50 cents', async () => {
    const bought = await buy(service)
    assert.equal((await refund(service, bought)).outcome, 'refunded')
    const [given] = await refundsOf(service, bought)
    assert.equal(given?.status, 'succeeded')
    assert.equal(given.amount, 1260)
    const state = await stateOf(service, bought)
    assert.equal(state.status, 'canceled')
    assert.equal(state.entitled, false)
    assert.equal(state.canceled_at, service.clock.now().toISOString().slice(0, 10))
    const moved = await postedTotals(service, [bought.invoice_id, given.id])
    assert.deepEqual(moved, { fees: -50, seller_payable: 50 })
    const subscription = (await subscriptionOf(service, bought.license_id))!
    assert.ok(subscription.ended_at)
    assert.equal(subscription.next_at, null)
    const emails = await service.world.db.rows(sql`select id from emails
      where kind = 'refund_issued' and subject_id = ${given.id}`)
    assert.equal(emails.length, 1)
  })

  test('in parts is exact to the cent, and the last part ends the license', async () => {
    const bought = await buy(service)
    for (const amount of [1, 333, 500]) {
      assert.equal((await refund(service, bought, amount)).outcome, 'refunded')
      assert.equal((await stateOf(service, bought)).status, 'active')
    }
    assert.equal((await refund(service, bought)).outcome, 'refunded')
    assert.equal((await stateOf(service, bought)).status, 'canceled')
    const given = await refundsOf(service, bought)
    const moved = await postedTotals(service, [bought.invoice_id, ...ids(given)])
    assert.deepEqual(moved, { fees: -50, seller_payable: 50 })
    const again = await refund(service, bought)
    assert.deepEqual(again, { outcome: 'refused', refusal: 'nothing_left' })
  })

  test('refunds exactly what was shown', async () => {
    const bought = await buy(service)
    const facts = { invoice_id: bought.invoice_id, amount: cents(433) }
    const quote = await quoteRefund(service.world, await sellerActor(service), facts)
    assert.ok('reversal' in quote)
    assert.equal(quote.left, 1260)
    assert.equal(quote.ends_license, false)
    await refund(service, bought, 433)
    const [given] = await refundsOf(service, bought)
    const { amount, tax, fee, add_on_fee, commission } = given!
    assert.deepEqual(quote.reversal, { amount, tax, fee, add_on_fee, commission })
    assert.equal((await postedTotals(service, [given!.id])).seller_payable, quote.cost)
    const rest = await quoteRefund(service.world, await sellerActor(service), {
      invoice_id: bought.invoice_id,
    })
    assert.ok('reversal' in rest && rest.ends_license)
    assert.equal(rest.kept, 50)
  })

  test('of an older invoice keeps the license, of the latest one ends it', async () => {
    const bought = await buy(service)
    service.clock.pass(31 * DAY)
    while ((await renewDue(service.world)) > 0);
    assert.equal((await refund(service, bought)).outcome, 'refunded')
    assert.equal((await stateOf(service, bought)).status, 'active')
    const latest = await service.world.db.one<{ id: InvoiceId }>(sql`select id from invoices
      where license_id = ${bought.license_id} order by number desc limit 1`)
    assert.equal((await refund(service, { invoice_id: latest.id })).outcome, 'refunded')
    assert.equal((await stateOf(service, bought)).status, 'canceled')
  })

  test('is refused: nothing, too much, too late, or of another buyer', async () => {
    const bought = await buy(service)
    const refused = async (amount: number | undefined, as?: 'seller' | 'operator') => {
      const { outcome, ...rest } = await refund(service, bought, amount, as)
      assert.equal(outcome, 'refused')
      return 'refusal' in rest && rest.refusal
    }
    assert.equal(await refused(0), 'not_an_amount')
    assert.equal(await refused(-5), 'not_an_amount')
    assert.equal(await refused(1261), 'more_than_left')
    await addSellerWithApp(service, { email: service.demo.affiliate.email, slug: 'other-seller' })
    const { user_id } = await service.world.db.one<{ user_id: UserId }>(sql`
      select id as user_id from users where email_normalized = ${service.demo.affiliate.email}`)
    for (const kind of ['seller', 'staff'] as const) {
      const other = { kind, user_id, request_id: 'req_x' }
      const quote = await quoteRefund(service.world, other, { invoice_id: bought.invoice_id })
      assert.deepEqual(quote, { refusal: 'not_found', left: undefined })
    }
    service.clock.pass(61 * DAY)
    assert.equal(await refused(undefined), 'too_late')
    assert.equal((await refund(service, bought, 100, 'operator')).outcome, 'refunded')
  })

  test('that is pending counts as refunded, and is settled when the processor reports it', async () => {
    const bought = await buy(service, { card: PENDING })
    assert.equal((await refund(service, bought)).outcome, 'refunded')
    assert.equal((await refundsOf(service, bought))[0]?.status, 'pending')
    assert.equal((await stateOf(service, bought)).status, 'canceled')
    await advanceAndHandleEvents(service, 2)
    assert.equal((await refundsOf(service, bought))[0]?.status, 'succeeded')
  })

  test('that fails leaves the buyer owed, and is not repeated', async () => {
    const bought = await buy(service, { card: CARD.comes_back })
    await refund(service, bought, 400)
    await advanceAndHandleEvents(service, 2)
    await handleEvents(service.world)
    const [given] = await refundsOf(service, bought)
    assert.equal(given?.status, 'failed')
    assert.equal((await postedTotals(service, [given.id])).buyer_payable, -400)
    assert.deepEqual(await refund(service, bought, 861), {
      outcome: 'refused',
      refusal: 'more_than_left',
    })
  })

  test('that is not on the books is reported once, and not waited for', async () => {
    const bought = await buy(service)
    const { db, random } = service.world
    const now = service.clock.now()
    const charge_id = bought.charge.processor_charge_id
    const content = { kind: 'refund_settled', refund_id: 're_refused', outcome: 'failed' } as const
    await db.tx((tx) => schedule(tx, random, now, { id: 're_refused', charge_id }, content))
    // The answer to a refund that is missing may still name it.
    fateOf = () => 'is lost'
    await refund(service, bought, 100)
    assert.equal(await handleEvents(service.world), 0)
    fateOf = () => 'arrives'
    service.clock.pass(5)
    await reconcileRefunds(service.world)
    assert.equal(await handleEvents(service.world), 1)
    assert.deepEqual(await service.world.processor.events(service.clock.now()), [])
  })

  test('waits for a pending payment of the license, which may consume it as credit', async () => {
    const bought = await buy(service)
    service.clock.pass(31 * DAY)
    fateOf = () => 'answer is lost'
    await renewDue(service.world)
    fateOf = () => 'arrives'
    for (const as of ['seller', 'operator'] as const) {
      const given = await refund(service, bought, 100, as)
      assert.deepEqual(given, { outcome: 'refused', refusal: 'payment_pending' })
    }
    const { invoice_id } = bought
    const quoted = await quoteRefund(service.world, await sellerActor(service), { invoice_id })
    assert.partialDeepStrictEqual(quoted, { refusal: 'payment_pending', left: 1260 })
    service.clock.pass(5)
    await reconcile(service.world)
    assert.equal((await refund(service, bought, 100)).outcome, 'refunded')
  })

  test('of a renewal that arrives after a dispute ended its license is made in full', async () => {
    const bought = await buy(service)
    service.clock.pass(31 * DAY)
    fateOf = () => 'answer is lost'
    await renewDue(service.world)
    fateOf = () => 'arrives'
    await decideDispute(service, await disputeCharge(service, bought.charge), 'lost')
    assert.equal((await stateOf(service, bought)).status, 'canceled')
    service.clock.pass(5)
    await reconcile(service.world)
    await reconcileRefunds(service.world)
    const refunds = await service.world.db.rows<{ requested_by: string; status: string }>(sql`
      select r.requested_by, r.status from refunds r join charges c on c.id = r.charge_id
        join invoices i on i.id = c.invoice_id
      where i.license_id = ${bought.license_id} and i.kind = 'renewal'`)
    assert.deepEqual(refunds, [{ requested_by: 'system', status: 'succeeded' }])
    await assertInvariants(service)
  })
})

describe('when a request to the processor is lost', () => {
  for (const fate of ['is lost', 'answer is lost'] as const) {
    test(`a refund whose request or answer ${fate} is requested again under its key`, async () => {
      const bought = await buy(service)
      fateOf = () => fate
      const requested = await refund(service, bought, 600)
      assert.equal(requested.outcome, 'processing')
      assert.deepEqual(await refund(service, bought, 600), {
        outcome: 'refused',
        refusal: 'in_progress',
      })
      fateOf = () => 'arrives'
      service.clock.pass(5)
      await reconcileRefunds(service.world)
      await reconcileRefunds(service.world)
      assert.deepEqual(
        (await refundsOf(service, bought)).map(({ status, amount }) => [status, amount]),
        [['succeeded', 600]],
      )
      await assertInvariants(service)
    })
  }

  test('a refund is requested again however many earlier ones fail', async () => {
    const bought = await buy(service)
    const { db } = service.world
    await db.run(sql`insert into refunds (id, charge_id, amount, tax, fee, add_on_fee, commission,
        reason, requested_by, status, created_at)
      select 'ref_broken_' || n, ${(await buy(service)).charge.id}, 1, 0, 0, 0, 0, 'a fault',
        'system', 'open', ${service.clock.now()}
      from generate_series(1, 1000) n`)
    service.clock.pass(5)
    fateOf = () => 'is lost'
    await refund(service, bought, 600)
    fateOf = () => 'arrives'
    service.clock.pass(5)
    isBroken = (key) => key.startsWith('ref_broken_')
    await reconcileRefunds(service.world)
    isBroken = () => false
    await db.run(sql`delete from refunds where id like 'ref_broken_%'`)
    assert.deepEqual(
      (await refundsOf(service, bought)).map(({ status }) => status),
      ['succeeded'],
    )
  })

  test('a refund of an upgrade is answered before the credit that it consumed is refunded', async () => {
    const bought = await buy(service)
    const { license_id, user_id, charge } = bought
    const { world } = service
    const actor = { kind: 'buyer', user_id, request_id: 'req_test' } as const
    const price_id = service.demo.app.prices[2]!.public_id
    const { agreement } = (await quotePlanChange(world, { license_id, price_id }))!
    const agreed = { license_id, agreement, return_url: 'http://localhost/' }
    assert.equal((await changePlan(world, actor, agreed)).outcome, 'paid')
    const upgrade = await latestCharge(service, bought)
    const { invoice_id } = upgrade
    const requested = { invoice_id, with_credit: true, reason: 'The buyer asked for it.' }
    const fates = ['is lost', 'arrives'] as const
    let requests = 0
    fateOf = () => fates[requests++] ?? 'arrives'
    const asked = await refundCharge(world, await sellerActor(service), requested)
    assert.equal(asked.outcome, 'processing')
    // The bank takes the upgrade back first, so that its refund is refused.
    const disputed = { charge_id: upgrade.processor_charge_id, reason: 'fraudulent' } as const
    await bankSandbox(service).disputeCharge(service.clock.now(), disputed)
    service.clock.pass(5)
    await reconcileRefunds(world)
    await reconcileRefunds(world)
    const statuses = [...(await statusesOf(upgrade)), ...(await statusesOf(charge))]
    assert.deepEqual(statuses, ['refused', 'refused'])
    await handleEvents(world)
  })

  const statusesOf = async ({ id }: payments.Charge) =>
    (await payments.refundsOf(service.world.db, id)).map(({ status }) => status)

  test('a process that is killed at any step refunds once, or not at all', async () => {
    for (let last = 1, killed = true; killed; last += KILL_STRIDE) {
      const bought = await buy(service)
      ;({ killed } = await untilKilled(last, () => refund(service, bought)))
      service.clock.pass(5)
      await reconcileRefunds(service.world)
      const given = await refundsOf(service, bought)
      const { status } = await stateOf(service, bought)
      if (given.length === 0) {
        assert.equal(status, 'active', `step ${last}`)
        continue
      }
      assert.deepEqual(
        given.map((each) => [each.status, each.amount]),
        [['succeeded', 1260]],
      )
      assert.equal(status, 'canceled', `step ${last}`)
    }
    await assertInvariants(service)
  })
})

describe('at the same time', { skip: SERVER_URL === undefined && 'needs PostgreSQL' }, () => {
  test('two hundred refunds never exceed the charge, and none is repeated', async () => {
    const sums = await Promise.all(
      Array.from({ length: 8 }, async () => {
        const bought = await buy(service)
        const tries = Array.from({ length: 25 }, (_, index) =>
          refund(service, bought, index % 3 === 0 ? undefined : 500),
        )
        await Promise.all(tries)
        return await amountRefunded(bought)
      }),
    )
    for (const sum of sums) assert.ok(sum === 1260 || sum === 500 || sum === 1000, String(sum))
    await assertInvariants(service)
  })

  async function amountRefunded(bought: Bought): Promise<number> {
    const given = await refundsOf(service, bought)
    const done = given.filter(({ status }) => status === 'succeeded')
    const atProcessor = await service.world.db.rows<{ amount: number }>(sql`
      select amount from sandbox.refunds where charge_id = ${bought.charge.processor_charge_id}
        and status <> 'refused'`)
    assert.equal(atProcessor.length, done.length)
    return done.reduce((total, { amount }) => total + amount, 0)
  }
})
