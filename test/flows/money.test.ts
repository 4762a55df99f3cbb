import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as ledger from '#domain/ledger'
import type { AffiliateId, OrderId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { testId } from '../support/ids.ts'
import { assertInvariants } from '../support/invariants.ts'
import { buyer, chargedAmounts, enterCard, purchase, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
let owners: { seller: string; affiliate: string }
before(async () => {
  service = await openTestService()
  owners = await service.world.db.one(sql`select (select id from sellers) as seller,
    (select id from affiliates) as affiliate`)
})
after(() => service.close())

let names = 0
const fresh = () => `money-${names++}@example.com`
const monthly = () => service.demo.app.prices[0]!.public_id
const ref = () => `?ref=${service.demo.affiliate.code}`

/** What the books say of a buyer's purchase: who brought it, and its lines by account. */
async function booksOf(email: string) {
  const order = await service.world.db.one<{ id: OrderId; brought_by: string; fee: number }>(
    sql`select o.id, i.brought_by, i.fee from orders o
        join invoices i on i.id = o.invoice_id join users u on u.id = o.user_id
      where u.email_normalized = ${email} order by o.created_at desc limit 1`,
  )
  const rows = await service.world.db.rows<{ account: string; owner: string; amount: number }>(
    sql`select e.account, e.owner, e.amount from ledger_entries e
      join ledger_transactions t on t.id = e.transaction_id
      join invoices i on i.id = t.subject
      where t.event = 'sale' and i.order_id = ${order.id} order by e.position`,
  )
  const lines = rows.map(({ account, owner, amount }) => [account, owner, amount] as const)
  return { brought_by: order.brought_by, fee: order.fee, lines }
}

/** Follows the product page of the marketplace to the checkout, and buys. */
async function buyFromMarketplace(agent: Agent, email: string, query = '') {
  await agent.open(`/apps/${service.demo.app.slug}/${query}`)
  await agent.press('Buy Pro monthly')
  await agent.submit('Continue', { email, ...TEXAS })
  await enterCard(agent)
  return await agent.submit(/^Pay /)
}

describe('a sale of $12.00 in Texas, to the cent', () => {
  test('brought by the seller costs 5% and 50 cents', async () => {
    const email = fresh()
    await purchase(service, buyer(service), { email })
    assert.deepEqual(await booksOf(email), {
      brought_by: 'seller',
      fee: 110,
      lines: [
        ['processor', '', 1260],
        ['tax_payable', 'US-TX', -60],
        ['fees', '', -110],
        ['seller_payable', owners.seller, -1090],
      ],
    })
  })

  test('brought by the marketplace costs 10% and 50 cents', async () => {
    const email = fresh()
    await buyFromMarketplace(buyer(service), email)
    assert.deepEqual(await booksOf(email), {
      brought_by: 'service',
      fee: 170,
      lines: [
        ['processor', '', 1260],
        ['tax_payable', 'US-TX', -60],
        ['fees', '', -170],
        ['seller_payable', owners.seller, -1030],
      ],
    })
  })

  test('referred by an affiliate pays them a quarter of the fee, out of the fee', async () => {
    const [one, two] = [fresh(), fresh()]
    await purchase(service, buyer(service), { email: one, query: ref() })
    assert.deepEqual((await booksOf(one)).lines, [
      ['processor', '', 1260],
      ['tax_payable', 'US-TX', -60],
      ['affiliate_payable', owners.affiliate, -27],
      ['fees', '', -83],
      ['seller_payable', owners.seller, -1090],
    ])
    await buyFromMarketplace(buyer(service), two, ref())
    assert.deepEqual((await booksOf(two)).lines.slice(2), [
      ['affiliate_payable', owners.affiliate, -42],
      ['fees', '', -128],
      ['seller_payable', owners.seller, -1030],
    ])
  })
})

test('is taxed by the buyer’s state, on top of the price', async () => {
  for (const [zip, state, tax] of [
    ['97201', 'OR', 0],
    ['10001', 'NY', 720],
    ['78701', 'TX', 900],
    ['98101', 'WA', 1170],
    ['94103', 'CA', 0],
    ['19103', 'PA', 1080],
    ['00901', 'PR', 0],
  ] as const) {
    const email = fresh()
    const page = await purchase(service, buyer(service), {
      email,
      price: 2,
      address: { country: 'US', zip },
    })
    assert.deepEqual(await chargedAmounts(service, email), [18_000 + tax])
    assert.match(textOf(page.body), new RegExp(`Sales tax \\(${state}`))
    const owed = (await booksOf(email)).lines.filter(([account]) => account === 'tax_payable')
    assert.deepEqual(owed, tax === 0 ? [] : [['tax_payable', `US-${state}`, -tax]])
  }
})

// F7
describe('who brought a sale', () => {
  const product = () => `/apps/${service.demo.app.slug}/`
  /** The link of a product page's Buy button, as a browser has it. */
  const drawnLink = async () => {
    const { body } = await buyer(service).open(product())
    const [, address] = /href="(\/buy\/[^"]*via=[^"]*)"[^>]*>(?:[^<]|<(?!\/a))*monthly/.exec(body)!
    return address!.replaceAll('&amp;', '&')
  }
  const cameBy = async (link: string, agent = buyer(service)) => {
    const email = fresh()
    await agent.open(link)
    await agent.submit('Continue', { email, ...TEXAS })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    return (await booksOf(email)).brought_by
  }

  test('is the service for thirty days after its page rendered the link', async () => {
    const link = await drawnLink()
    service.clock.pass(30 * 86_400 - 1)
    assert.equal(await cameBy(link), 'service')
    service.clock.pass(1)
    assert.equal(await cameBy(link), 'seller')
  })

  test("is the seller for the seller's own link, whatever the browser visited before", async () => {
    const agent = buyer(service)
    await agent.open(product())
    await agent.press('Buy Pro monthly')
    assert.equal(await cameBy(`/buy/${monthly()}/`, agent), 'seller')
  })

  test('is the seller if the token is of another price or forged', async () => {
    const via = (await drawnLink()).split('via=')[1]!
    const other = service.demo.app.prices[1]!.public_id
    for (const link of [
      `/buy/${other}/?via=${via}`,
      `/buy/${monthly()}/?via=${via.slice(0, -2)}`,
      `/buy/${monthly()}/?via=${via}&via=${via}`,
      `/buy/${monthly()}/?via=service`,
    ]) {
      assert.equal(await cameBy(link), 'seller', link)
    }
  })

  test('is still the service after the buyer corrects the details', async () => {
    const agent = buyer(service)
    const email = fresh()
    await agent.open(await drawnLink())
    await agent.submit('Continue', { email: 'no address', ...TEXAS })
    await agent.submit('Continue', { email, ...TEXAS })
    await enterCard(agent)
    await agent.press('Change your details')
    // F11
    const { email: kept, zip } = agent.form('Continue')
    assert.deepEqual({ email: kept, zip }, { email, zip: TEXAS.zip })
    await agent.submit('Continue', { country: 'US' })
    await enterCard(agent)
    await agent.submit(/^Pay /)
    assert.equal((await booksOf(email)).brought_by, 'service')
  })
})

describe('pays no commission on a person’s own purchase', () => {
  test('with the same email', async () => {
    const { email, password } = service.demo.affiliate
    const agent = buyer(service)
    await agent.open(`/buy/${monthly()}/${ref()}`)
    await agent.submit('Continue', { email, ...TEXAS })
    await agent.submit('Sign in', { password })
    await enterCard(agent, '378282246310005')
    await agent.submit(/^Pay /)
    assert.deepEqual((await booksOf(email)).lines, [
      ['processor', '', 1260],
      ['tax_payable', 'US-TX', -60],
      ['fees', '', -110],
      ['seller_payable', owners.seller, -1090],
    ])
  })

  test('with the same card and another email', async () => {
    const email = fresh()
    const facts = { email, query: ref(), card: '378282246310005' }
    await purchase(service, buyer(service), facts)
    assert.ok((await booksOf(email)).lines.every(([account]) => account !== 'affiliate_payable'))
    const { affiliate_id } = await service.world.db.one<{ affiliate_id: AffiliateId | null }>(
      sql`select i.affiliate_id from invoices i join users u on u.id = i.user_id
        where u.email_normalized = ${email}`,
    )
    assert.equal(affiliate_id, null)
  })
})

describe('the ledger', () => {
  const db = () => service.world.db

  test('rejects postings that do not sum to zero, and the same event twice', async () => {
    const [invoice_id, seller_id] = [testId('inv_1'), testId('sel_1')]
    const facts = { invoice_id, seller_id, state: 'TX', affiliate_id: null }
    const fees = { fee: cents(110), add_on_fee: cents(0), commission: cents(0) }
    const amounts = { amount: cents(1200), tax: cents(60), ...fees }
    const posting = ledger.sale({ is_waived: false, ...facts, ...amounts })
    const crooked = { ...posting, lines: posting.lines.slice(1) }
    const now = service.clock.now()
    await assert.rejects(
      db().tx((tx) => ledger.post(tx, now, testId('txn_1'), crooked)),
      /does not sum to zero/,
    )
    const { subject } = await db().one<{ subject: string }>(
      sql`select subject from ledger_transactions where event = 'sale' limit 1`,
    )
    await assert.rejects(
      db().tx((tx) => ledger.post(tx, now, testId('txn_2'), { ...posting, subject })),
      /duplicate key/,
    )
  })

  test('is append-only', async () => {
    for (const statement of [
      sql`update ledger_entries set amount = 1`,
      sql`delete from ledger_entries`,
      sql`update ledger_transactions set subject = 'x'`,
      sql`delete from audit_log`,
      sql`delete from license_history`,
    ]) {
      await assert.rejects(db().run(statement), /append only/)
    }
  })

  test('equals the balance at the processor', async () => {
    const { books, processor } = await db().one<{ books: number; processor: number }>(sql`
      select (select sum(amount) from ledger_entries where account = 'processor')::bigint as books,
        (select sum(amount) from sandbox.charges where status = 'succeeded')::bigint as processor`)
    assert.equal(books, processor)
  })
})

test('preserves every invariant', () => assertInvariants(service))
