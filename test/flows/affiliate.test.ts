import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import { formatDay } from '#design/money'
import * as affiliates from '#domain/affiliates'
import * as ledger from '#domain/ledger'
import * as payouts from '#domain/payouts'
import { changeCard, renewDue } from '#flows/subscription'
import { type AffiliateId, mintId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { type Agent, textOf } from '../support/agent.ts'
import { addCode } from '../support/discounts.ts'
import { bankSandbox, decideDispute, disputeCharge } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { payeeOf, withBank } from '../support/payees.ts'
import { buyer, chargedAmounts, enterCard, TEXAS } from '../support/purchase.ts'
import { type Bought, buy, refund } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const DAY = 86_400
const OWN_CARD = '378282246310005'
/** A quarter of $1.10 and of $9.50, rounded down. */
const MONTHLY = 27
const LIFETIME = 237

let service: TestService
let owner: string
let query: string
before(async () => {
  service = await openTestService()
  owner = (await payeeOf(service, 'affiliate')).owner
  query = `?ref=${service.demo.affiliate.code}`
})
after(() => assertInvariantsAndClose(service))

const earned = async () =>
  0 - (await ledger.balanceOf(service.world.db, 'affiliate_payable', owner))

/** Lets days pass, with the renewals that are due in them. */
async function passDays(days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    service.clock.pass(DAY)
    while ((await renewDue(service.world)) > 0);
    await handleEvents(service.world)
  }
}

/** The commissions of a license's invoices, oldest first. */
async function commissionsOf({ license_id }: Pick<Bought, 'license_id'>): Promise<number[]> {
  const rows = await service.world.db.rows<{ commission: number }>(sql`
    select commission from invoices where license_id = ${license_id} and status = 'paid'
    order by number`)
  return rows.map(({ commission }) => commission)
}

describe('a commission', () => {
  test('is paid on every renewal of a referred customer', async () => {
    const bought = await buy(service, { query })
    await passDays(62)
    assert.deepEqual(await commissionsOf(bought), [MONTHLY, MONTHLY, MONTHLY])
    assert.equal(await earned(), 3 * MONTHLY)
  })

  test('ends when the affiliate deletes their account, as it could be paid to no one', async () => {
    const { db, random } = service.world
    const { user_id } = await buy(service, { card: OWN_CARD })
    const leaving = { id: mintId(random, 'aff'), user_id, code: 'leaving-soon' }
    await affiliates.add(db, service.clock.now(), leaving)
    const referred = buyer(service)
    await referred.open(`/?ref=${leaving.code}`)
    const renewed = await buy(service, { query: `?ref=${leaving.code}` })
    await db.tx((tx) => affiliates.retire(tx, service.clock.now(), { ...leaving, code: 'left' }))
    await referred.open(`/buy/${service.demo.app.prices[0]!.public_id}/`)
    await referred.submit('Continue', { email: 'too-late@example.com', ...TEXAS })
    await enterCard(referred)
    await referred.submit(/^Pay /)
    await passDays(31)
    assert.deepEqual(await commissionsOf(renewed), [MONTHLY, 0])
    const { license_id } = await db.one<Pick<Bought, 'license_id'>>(sql`
      select l.id as license_id from licenses l join users u on u.id = l.user_id
      where u.email_normalized = 'too-late@example.com'`)
    assert.deepEqual(await commissionsOf({ license_id }), [0, 0])
    assert.equal(0 - (await ledger.balanceOf(db, 'affiliate_payable', leaving.id)), MONTHLY)
  })

  test('is not paid on an amount that is waived, and is on the periods that are charged', async () => {
    const before = await earned()
    const price_id = service.demo.app.prices[0]!.public_id
    const terms = { percent: 97, periods: 1 }
    const { code } = await addCode(service, service.demo.app.client_id, terms)
    const agent = buyer(service)
    await agent.open(`/buy/${price_id}/${query}&discount=${code}`)
    await agent.submit('Continue', { email: 'waived@example.com', ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^(Pay|Complete|Get) /)
    assert.deepEqual(await chargedAmounts(service, 'waived@example.com'), [0])
    assert.equal(await earned(), before)
    await passDays(31)
    assert.deepEqual(await chargedAmounts(service, 'waived@example.com'), [0, 1260])
    const { license_id } = await service.world.db.one<Pick<Bought, 'license_id'>>(sql`
      select l.id as license_id from licenses l join users u on u.id = l.user_id
      where u.email_normalized = 'waived@example.com'`)
    assert.deepEqual(await commissionsOf({ license_id }), [0, MONTHLY])
  })

  test('is reversed in proportion to a refund', async () => {
    const before = await earned()
    const bought = await buy(service, { query, price: 2 })
    assert.equal(await earned(), before + LIFETIME)
    await refund(service, bought, 9_450)
    assert.equal(await earned(), before + LIFETIME - 119)
    await refund(service, bought)
    assert.equal(await earned(), before)
  })

  test('is reversed when a dispute is lost, and kept when it is won', async () => {
    const before = await earned()
    const [one, two] = [
      await buy(service, { query, price: 2 }),
      await buy(service, { query, price: 2 }),
    ]
    const [won, lost] = [
      await disputeCharge(service, one.charge),
      await disputeCharge(service, two.charge),
    ]
    assert.equal(await earned(), before + 2 * LIFETIME, 'an open dispute decides nothing')
    await decideDispute(service, won, 'won')
    await decideDispute(service, lost, 'lost')
    assert.equal(await earned(), before + LIFETIME)
  })

  test('that an appeal returns is listed as available on the day on which it is', async () => {
    const { charge } = await buy(service, { query, price: 2 })
    const dispute = await disputeCharge(service, charge)
    await decideDispute(service, dispute, 'lost')
    const { world, clock } = service
    await bankSandbox(service).appealDispute(clock.now(), dispute.processor_dispute_id)
    await handleEvents(world)
    const payee = await payeeOf(service, 'affiliate')
    const [line] = await payouts.accountLines(world.db, payee, { limit: 1 })
    assert.equal(line?.event, 'appeal_won')
    const { pending } = await payouts.payeeBalance(world.db, clock.now(), payee)
    const available_on = formatDay(pending.at(-1)!.at)
    const agent = await signedIn(service, service.demo.affiliate)
    const text = textOf((await agent.open('/affiliate/')).body)
    assert.match(
      text,
      new RegExp(`Dispute won on appeal: Tidepool Lifetime \\$2\\.37 Available on ${available_on}`),
    )
  })
})

describe('pays no commission on a person’s own purchase', () => {
  test('an affiliate whose card pays a renewal earns nothing on it', async () => {
    const bought = await buy(service, { query })
    const agent = await signedIn(service, service.demo.affiliate)
    await agent.open(`/buy/${service.demo.sign_in_app.prices[0]!.public_id}/`)
    await agent.submit('Continue', { email: service.demo.affiliate.email, ...TEXAS })
    await enterCard(agent, OWN_CARD)
    await agent.submit(/^Pay /)
    const { card } = await service.world.db.one<{ card: never }>(sql`select row_to_json(c) as card
      from cards c join users u on u.id = c.user_id
      where u.email_normalized = ${service.demo.affiliate.email} limit 1`)
    const requested = {
      license_id: bought.license_id,
      card,
      return_url: 'https://tidepool.example/',
    }
    await changeCard(
      service.world,
      { kind: 'buyer', user_id: bought.user_id, request_id: 'req_1' },
      requested,
    )
    await passDays(31)
    assert.deepEqual(await commissionsOf(bought), [MONTHLY, 0])
    const { affiliate_id } = await service.world.db.one<{ affiliate_id: AffiliateId | null }>(sql`
      select affiliate_id from invoices where license_id = ${bought.license_id}
      order by number desc limit 1`)
    assert.equal(affiliate_id, null)
  })

  test('a seller earns nothing on their own app', async () => {
    const { db, random, clock } = service.world
    const { id: user_id } = await db.one<{ id: UserId }>(
      sql`select id from users where email_normalized = ${service.demo.seller.email}`,
    )
    await affiliates.add(db, clock.now(), {
      id: mintId(random, 'aff'),
      user_id,
      code: 'marinas-own',
    })
    const bought = await buy(service, { query: '?ref=marinas-own' })
    assert.deepEqual(await commissionsOf(bought), [0])
  })
})

describe('joining as an affiliate', () => {
  const join = async (agent: Agent, code: string) => {
    await agent.open('/affiliate/')
    await agent.submit('Become an affiliate', { code })
    return { status: agent.page.status, pageText: agent.text }
  }

  test('shows the terms, and accepts a valid code that is free', async () => {
    const agent = await signedIn(service, service.demo.buyer)
    for (const [code, pageText] of [
      ['', /Enter a code/],
      ['abc', /Use 4 to 32/],
      ['a b c d', /Use 4 to 32/],
      ['a'.repeat(33), /Use 4 to 32/],
      ['-tides', /Hyphens may not come first/],
      ['low--tide', /Hyphens may not come first/],
      ['support', /code is reserved/],
      [service.demo.affiliate.code, /This code is taken/],
    ] as const) {
      const seen = await join(agent, code)
      assert.equal(seen.status, 422)
      assert.match(seen.pageText, pageText)
    }
    assert.match(textOf((await agent.open('/affiliate/')).body), /25% of Purser’s fee/)
    const joined = await join(agent, 'Low-Tides')
    assert.match(joined.pageText, /You are now an affiliate.*\?ref=low-tides/)
    assert.match(joined.pageText, /No commission yet/)
    assert.match(textOf((await agent.open('/account/')).body), /Referrals/)
    await agent.open(agent.page.url)
    const followed = buyer(service)
    await followed.open('/?ref=low-tides')
    assert.ok(followed.cookies.has('__Host-ref'), 'the link of the page refers')
  })

  test('requires a confirmed email', async () => {
    const agent = buyer(service)
    await agent.open('/affiliate/')
    assert.match(agent.page.url, /^\/signin\//)
  })
})

describe('an affiliate’s page', () => {
  test('lists every commission with its status, and nothing about the buyer', async () => {
    await passDays(40)
    const balance = await earned()
    assert.ok(balance > 0)
    for (let more = balance; more < 2500; more += LIFETIME) {
      await buy(service, { query, price: 2 })
    }
    const late = await buy(service, { query, price: 2 })
    const agent = await withBank(service, 'affiliate')
    await agent.open('/affiliate/')
    assert.match(agent.text, /Available on/)
    assert.doesNotMatch(agent.page.body, /refund-\d+@|@example\.com/)
    assert.throws(() => agent.form('Pay out now'))
    await passDays(30)
    const again = await signedIn(service, service.demo.affiliate)
    await again.open('/affiliate/')
    const before = await earned()
    await again.submit('Pay out now')
    assert.match(again.text, /Payout sent/)
    const left = await earned()
    await passDays(1)
    const page = textOf((await again.open('/affiliate/')).body)
    assert.match(page, /Paid with payout \d+/)
    assert.match(page, /Reversed with payout \d+/)
    await refund(service, late)
    assert.ok((await earned()) < 0, 'it was paid already, so it is owed')
    assert.match(textOf((await again.open('/affiliate/')).body), /Balance due \$2\.37/)
    assert.match(again.text, /Reversed/)
    await again.press(payoutTitle(again))
    const csv = await again.open(`${again.page.url}statement.csv`)
    const rows = parse(csv.body, { columns: true }) as Record<string, string>[]
    const sum = rows.reduce(
      (total, { commission }) => total + Math.round(Number(commission) * 100),
      0,
    )
    assert.equal(sum, before - left)
    const feesOf = (pattern: RegExp) =>
      rows.filter(({ description }) => pattern.test(description!)).map(({ fee }) => fee)
    assert.match(feesOf(/^(Sale|Renewal) of/).join(), /^\d+\.\d\d(,\d+\.\d\d)*$/)
    const reversed = feesOf(/^(Refund|Dispute)/)
    assert.ok(reversed.length > 0)
    assert.deepEqual(new Set(reversed), new Set(['']), 'the fee of a sale is listed once')
    assert.deepEqual(
      [...new Set(rows.flatMap((row) => Object.keys(row)))],
      ['date', 'description', 'app', 'invoice_id', 'transaction_id', 'fee', 'commission', 'payout'],
    )
  })
})

function payoutTitle(agent: Agent): string {
  return /Payout \d+: \$[\d.,]+/.exec(agent.text)![0]
}
