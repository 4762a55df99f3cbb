import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as licensing from '#domain/licensing'
import { endNow, renewDue, setAutoRenew } from '#flows/subscription'
import { addDays, isoDate } from '#platform/calendar'
import { once } from '#platform/once'
import { type Sql, sql } from '#platform/sql'
import { textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { addCode } from '../support/discounts.ts'
import {
  continueWithCard,
  goToContinue,
  type ImportedBuyer,
  importedBuyer,
  storedOf,
} from '../support/imported-buyer.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { emailTo } from '../support/mailbox.ts'
import { changePlanTo } from '../support/plan-change.ts'
import {
  basic,
  chargedAmounts,
  licenseKey,
  buyer as newBrowser,
  orderReference,
  TEXAS,
} from '../support/purchase.ts'
import { sellerActor } from '../support/refunds.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { buyerActor, passDays, runDue, stateOf } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => assertInvariantsAndClose(service))

const dayIn = (days: number) => isoDate(addDays(service.clock.now(), days))
const formerState = ({ former_key, app }: ImportedBuyer) =>
  stateOf(service, { license_key: former_key, app })
const manage = async ({ agent, app }: ImportedBuyer) =>
  textOf((await agent.open(`/manage/${app.client_id}/`)).body)

describe('an imported license that its buyer continues with a card', () => {
  test('keeps its key and its status, and is charged on the day to which the buyer paid', async () => {
    const buyer = await importedBuyer(service, { days: 20 })
    const before = await stateOf(service, buyer)
    assert.equal(before.canceled_at, dayIn(20))
    const page = await continueWithCard(buyer)
    assert.match(textOf(page.body), /Nothing was charged today\. Your key stays the same\./)
    assert.equal(licenseKey(page), buyer.license_key)
    const state = { ...before, canceled_at: null }
    assert.deepEqual(await stateOf(service, buyer), state)
    assert.deepEqual(await formerState(buyer), state)
    for (let day = 0; day < 19; day++) {
      await passDays(service, 1)
      assert.deepEqual(await formerState(buyer), state)
    }
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0])
    await passDays(service, 1)
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0, 1260])
    const renewed = { ...state, period_end: dayIn(31) }
    assert.deepEqual(await stateOf(service, buyer), renewed)
    assert.deepEqual(await formerState(buyer), renewed)
    assert.deepEqual(await storedOf(service, buyer), {
      status: 'active',
      origin: 'purchase',
      orders: 1,
      subscriptions: 1,
      triggers: ['import', 'continued', 'renewed'],
    })
  })

  test('has an invoice of zero that names what was paid elsewhere, and nothing in the books', async () => {
    const buyer = await importedBuyer(service)
    await continueWithCard(buyer)
    const books = await service.world.db.one(sql`select i.kind, i.amount, i.tax, i.fee, i.is_waived,
        i.number is not null as is_numbered, i.period_index, i.period_end = l.period_end as same_end,
        (select jsonb_agg(jsonb_build_array(n.kind, n.amount) order by n.position)
          from invoice_lines n where n.invoice_id = i.id) as lines,
        (select count(*) from charges c where c.invoice_id = i.id) as charges,
        (select count(*) from ledger_transactions t where t.subject = i.id) as postings,
        s.anchor = l.period_end and s.next_at = l.period_end as renews_at_the_end,
        (select mrr from license_metrics m where m.license_id = l.id) as mrr
      from licenses l join invoices i on i.license_id = l.id
        join subscriptions s on s.license_id = l.id
      where l.id = ${buyer.license_id}`)
    assert.deepEqual(books, {
      kind: 'purchase',
      amount: 0,
      tax: 0,
      fee: 0,
      is_waived: false,
      is_numbered: true,
      period_index: 0,
      same_end: true,
      lines: [
        ['price', 1200],
        ['prepaid', -1200],
      ],
      charges: 0,
      postings: 0,
      renews_at_the_end: true,
      mrr: 0,
    })
    const receipt = await emailTo(service, buyer.email, /receipt/i)
    assert.match(receipt, /Paid at your previous provider/)
    assert.match(receipt, /\$12\.60 per month, first charge on/)
    const sale = await emailTo(service, service.demo.seller.email, /continued the imported/)
    assert.match(sale, /Price from the first charge/)
    assert.match(await manage(buyer), /First charge \$12\.60 on/)
    await passDays(service, 20)
    const { mrr } = await service.world.db.one<{ mrr: number }>(sql`select mrr from license_metrics
      where license_id = ${buyer.license_id}`)
    assert.equal(mrr, 1200)
  })

  test('is past due if the card is declined on the day, and recovers with the same key', async () => {
    const buyer = await importedBuyer(service, { days: 3 })
    await continueWithCard(buyer, CARD.verifies_only)
    await passDays(service, 3)
    assert.equal((await formerState(buyer)).status, 'past_due')
    const { agent, app } = buyer
    await agent.open(`/manage/${app.client_id}/`)
    await agent.submit('Update your card')
    const card = { number: CARD.good, expiry: '12/30', cvc: '123', zip: TEXAS.zip }
    await agent.submit('Save this card', card)
    assert.equal((await formerState(buyer)).status, 'active')
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0, 1260])
  })

  test('ends on the day without a charge if its buyer cancels before', async () => {
    const buyer = await importedBuyer(service, { days: 3 })
    await continueWithCard(buyer)
    const { license_id } = buyer
    await setAutoRenew(service.world, buyerActor(buyer), { license_id, to: 'off' })
    const { entitled, canceled_at } = await formerState(buyer)
    assert.deepEqual({ entitled, canceled_at }, { entitled: true, canceled_at: dayIn(3) })
    await passDays(service, 3)
    assert.equal((await stateOf(service, buyer)).status, 'canceled')
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0])
  })

  test('changes to another plan at the end of what was paid elsewhere, and not before', async () => {
    const buyer = await importedBuyer(service, { days: 5 })
    await continueWithCard(buyer)
    const yearly = service.demo.app.prices[1]!.public_id
    const { quote, moved } = await changePlanTo(service, buyer, yearly)
    assert.deepEqual([quote.change, moved], [{ when: 'period_end' }, { outcome: 'scheduled' }])
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0])
    await passDays(service, 5)
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0, 10_080])
  })

  test('takes a discount code off the first charge', async () => {
    const { code } = await addCode(service, service.demo.app.client_id)
    const buyer = await importedBuyer(service, { days: 2 })
    await goToContinue(buyer)
    const page = await buyer.agent.submit('Apply', { discount: code })
    assert.match(textOf(page.body), /Then \$10\.08 once, then \$12\.60 per month/)
    await buyer.agent.submit('Continue with this card')
    await passDays(service, 2)
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0, 1008])
    await passDays(service, 31)
    assert.deepEqual(await chargedAmounts(service, buyer.email), [0, 1008, 1260])
  })

  test('is found by the reference of its order, and its buyer is sent back by a plain buy link', async () => {
    const buyer = await importedBuyer(service)
    const first = await buyer.agent.twin().open(`/buy/${buyer.price_id}/`)
    assert.match(first.url + first.body, /svc_order=/)
    const page = await continueWithCard(buyer)
    const found = await service.app.inject({
      url: `/api/v1/orders/${orderReference(page)}`,
      headers: basic(service),
    })
    assert.equal(found.json().license_key, buyer.license_key)
    const again = await buyer.agent.open(`/buy/${buyer.price_id}/`)
    assert.match(again.url + again.body, /svc_order=/)
  })
})

describe('a buyer who continues', () => {
  test('sees the day, the price and both plans on the manage page', async () => {
    const buyer = await importedBuyer(service, { days: 20 })
    const text = await manage(buyer)
    assert.match(text, /You paid until .+ at your previous provider\./)
    assert.match(text, /Continue at \$12\.00 per month Continue at \$96\.00 per year/)
    await buyer.agent.press('Continue at $96.00 per year')
    await buyer.agent.submit('Continue', { zip: '78701' })
    assert.match(buyer.agent.text, /card/i)
  })

  test('has nothing to continue for a license without an end, or one that has ended', async () => {
    for (const days of [null, -1]) {
      const buyer = await importedBuyer(service, { days })
      await runDue(service)
      assert.doesNotMatch(await manage(buyer), /Continue/)
      const page = await buyer.agent.open(`/buy/${buyer.price_id}/?continue=${buyer.license_id}`)
      assert.match(page.url, /^\/manage\//)
    }
  })

  test('continues no license of another person, and signs in first', async () => {
    const [own, other] = [await importedBuyer(service), await importedBuyer(service)]
    const page = await own.agent.open(`/buy/${own.price_id}/?continue=${other.license_id}`)
    assert.match(page.url, /^\/manage\//)
    const signIn = await newBrowser(service).open(
      `/buy/${own.price_id}/?continue=${other.license_id}`,
    )
    assert.match(signIn.url, /^\/signin\//)
  })

  test('continues at a price of the plan that they have, and at no other', async () => {
    const buyer = await importedBuyer(service)
    const lifetime = service.demo.app.prices[2]!.public_id
    const page = await buyer.agent.open(`/buy/${lifetime}/?continue=${buyer.license_id}`)
    assert.match(page.url, /^\/manage\//)
  })
})

/** What can happen to the license between the confirmation page and its button. */
const CHANGES: Record<
  string,
  { change(imported: ImportedBuyer): Promise<unknown>; says: RegExp; days?: number }
> = {
  'the seller ended it': {
    change: async ({ license_id }) =>
      endNow(service.world, await sellerActor(service), { license_id, reason: 'Refunded there' }),
    says: /Your license has ended.+Nothing was charged\./,
  },
  'its day has come': {
    change: async () => {
      service.clock.pass(12 * 3600)
      await runDue(service)
    },
    days: 0.5,
    says: /Your license has ended.+Nothing was charged\./,
  },
  'staff suspended it': {
    change: ({ license_id }) =>
      licensing.transition(service.world.db, service.clock.now(), {
        license_id,
        trigger: 'suspended',
        to: 'paused',
        paused_for: 'staff',
      }),
    says: /Your license is paused\..+Nothing was charged\./,
  },
  'a newer import has no end': {
    change: ({ license_id, product_id }) =>
      licensing.changeImported(service.world.db, service.clock.now(), {
        license_id,
        product_id,
        ends_at: null,
      }),
    says: /Your license does not expire.+Nothing was charged\./,
  },
  'a newer import has another end': {
    change: ({ license_id, product_id }) =>
      licensing.changeImported(service.world.db, service.clock.now(), {
        license_id,
        product_id,
        ends_at: addDays(service.clock.now(), 30),
      }),
    says: /Your order has changed/,
  },
  'it continues already': {
    change: async (buyer) => {
      const agent = buyer.agent.twin()
      await continueWithCard({ ...buyer, agent })
    },
    says: /Your license already renews automatically\. Nothing was charged\./,
  },
}

describe('a license is not continued, and no card is charged, because', () => {
  for (const [why, { change, says, days = 2 }] of Object.entries(CHANGES)) {
    test(why, async () => {
      const buyer = await importedBuyer(service, { days })
      await goToContinue(buyer)
      const { orders } = await storedOf(service, buyer)
      await change(buyer)
      const then = await storedOf(service, buyer)
      const page = await buyer.agent.submit('Continue with this card')
      assert.match(textOf(page.body), says)
      assert.deepEqual(await storedOf(service, buyer), then)
      assert.equal(orders, 0)
      const taken = await chargedAmounts(service, buyer.email)
      assert.ok(taken.every((amount) => amount === 0))
    })
  }
})

describe('while the bank asks the buyer who continues', () => {
  test('the license does not end on its day, and is charged then', async () => {
    const buyer = await importedBuyer(service, { days: 1 })
    service.clock.pass(86_400 - 60)
    await continueWithCard(buyer, CARD.asks_always)
    service.clock.pass(60)
    await runDue(service)
    assert.equal((await stateOf(service, buyer)).entitled, true)
    await buyer.agent.submit('Complete authentication')
    await runDue(service)
    const { orders, triggers } = await storedOf(service, buyer)
    assert.deepEqual([orders, triggers], [1, ['import', 'continued', 'renewal_failed']])
  })

  test('the license does not end if they answer as its end is due', async () => {
    const buyer = await importedBuyer(service, { days: 1 })
    service.clock.pass(86_400 - 60)
    await continueWithCard(buyer, CARD.asks_always)
    service.clock.pass(60)
    const { db } = service.world
    const answer = once(() => buyer.agent.submit('Complete authentication'))
    /** They answer after what has ended was read, and before any of it ends. */
    async function rows<Row>(statement: Sql): Promise<Row[]> {
      const found = await db.rows<Row>(statement)
      if (/l\.origin in \('comp', 'import'\)/.test(statement.text)) await answer()
      return found
    }
    await renewDue({ ...service.world, db: { ...db, rows } })
    const { status, triggers } = await storedOf(service, buyer)
    assert.deepEqual([status, triggers], ['past_due', ['import', 'continued', 'renewal_failed']])
  })

  test('a license that the seller ends is not continued', async () => {
    const buyer = await importedBuyer(service)
    await continueWithCard(buyer, CARD.asks_always)
    const { license_id } = buyer
    await endNow(service.world, await sellerActor(service), { license_id, reason: 'A mistake' })
    const page = await buyer.agent.submit('Complete authentication')
    assert.match(textOf(page.body), /Your license has ended.+Nothing was charged\./)
    assert.deepEqual(await storedOf(service, buyer), {
      status: 'canceled',
      origin: 'import',
      orders: 0,
      subscriptions: 0,
      triggers: ['import', 'import_ended'],
    })
  })
})
