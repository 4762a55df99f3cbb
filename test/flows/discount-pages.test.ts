import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as discounts from '#domain/discounts'
import * as sellers from '#domain/sellers'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { addCode } from '../support/discounts.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { buyer, goToConfirm, purchase } from '../support/purchase.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const PAGE = '/dashboard/apps/tidepool/discounts/'

let service: TestService
let seller: Agent
before(async () => {
  service = await openTestService()
  seller = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

const find = (code: string) =>
  discounts.findCode(service.world.db, { app_id: service.demo.app.client_id, code })

/** The sentences of the error summary and of the fields. */
const faultsOf = ({ page }: Agent) => textOf(page.body)

describe('the discount codes of an app', () => {
  test('start with an empty list that says how buyers use one', async () => {
    await seller.open(PAGE)
    assert.match(seller.text, /No discount codes yet.*\?discount=/)
  })

  test('are created with their terms, and recorded in the audit log', async () => {
    const { product_id } = await service.world.db.one<{ product_id: string }>(sql`
      select product_id from prices where id = ${service.demo.app.prices[0]!.public_id}`)
    await seller.open(PAGE)
    await seller.submit('Create code', {
      code: 'launch-25',
      amount: '25',
      unit: 'percent',
      lasts: 'periods',
      periods: '3',
      valid_from: '2025-12-01',
      valid_until: '2099-12-31',
      max_uses: '100',
      is_once_per_buyer: 'yes',
      [product_id]: 'yes',
    })
    const page = seller.text
    assert.match(page, /Code created\. Buyers can use it from its first day\./)
    assert.match(page, /LAUNCH-25 25% off for 3 periods Active 0 of 100/)
    const { id, ...terms } = (await find('LAUNCH-25'))!
    assert.deepEqual(terms, {
      code: 'LAUNCH-25',
      percent: 25,
      amount: null,
      periods: 3,
      valid_from: new Date('2025-12-01'),
      // The last day is valid until its end.
      valid_until: new Date('2100-01-01'),
      max_uses: 100,
      is_once_per_buyer: true,
      is_first_purchase: false,
      product_ids: [product_id],
      is_active: true,
    })
    const lines = await service.world.db.rows(
      sql`select action from audit_log where subject = ${id}`,
    )
    assert.deepEqual(lines, [{ action: 'discount.created' }])
  })

  test('without a first day can be used at once', async () => {
    await seller.open(PAGE)
    const terms = { amount: '10', unit: 'percent', lasts: 'once' }
    await seller.submit('Create code', { code: 'TODAY-10', ...terms })
    assert.match(seller.text, /Code created\. Buyers can use it now\./)
    await purchase(service, buyer(service), {
      email: 'today@example.com',
      query: '?discount=TODAY-10',
    })
  })

  test('take an amount as a price does, with a dollar sign and separators', async () => {
    await seller.open(PAGE)
    const terms = { amount: '$1,200.5', unit: 'dollars', lasts: 'once' }
    await seller.submit('Create code', { code: 'LARGE', ...terms })
    assert.equal((await find('LARGE'))!.amount, 120_050)
  })

  test('are refused with every fault at its field, and what was entered stays', async () => {
    await seller.open(PAGE)
    await seller.submit('Create code', {
      code: 'a b',
      amount: '101',
      unit: 'percent',
      lasts: 'periods',
      periods: '',
      valid_from: '2099-02-30',
      valid_until: '2020-01-01',
      max_uses: '0',
    })
    assert.equal(seller.page.status, 422)
    const page = faultsOf(seller)
    for (const message of [
      /Code: Use 3 to 32 characters: A to Z, digits and hyphens/,
      /Amount: Enter a whole percentage from 1 to 100/,
      /Periods: Enter a whole number from 1 to 120/,
      /First day: Enter a valid day/,
      /Last day: Must be today or later/,
      /Maximum uses: Enter a whole number from 1 to 1,000,000/,
    ])
      assert.match(page, message)
    assert.ok(seller.page.body.includes('value="a b"'))
  })

  test('are unique in upper and lower case alike', async () => {
    const { code } = await addCode(service, service.demo.app.client_id)
    await seller.open(PAGE)
    await seller.submit('Create code', {
      code: code.toLowerCase(),
      amount: '4.50',
      unit: 'dollars',
      lasts: 'once',
    })
    assert.match(faultsOf(seller), /This app has this code already/)
  })

  test('cannot be used while they are inactive', async () => {
    const { id, code } = await addCode(service, service.demo.app.client_id, { percent: 50 })
    await seller.open(PAGE)
    await seller.submit(`Deactivate ${code}`)
    assert.match(seller.text, /Code deactivated/)
    const query = `?discount=${code}`
    const agent = buyer(service)
    await goToConfirm(service, agent, { email: 'inactive@example.com', query })
    assert.match(agent.text, /Not applied. It is no longer valid/)
    await seller.submit(`Activate ${code}`)
    const other = buyer(service)
    await purchase(service, other, { email: 'active@example.com', query })
    assert.match(other.text, new RegExp(`Discount ${code}`))
    const lines = await service.world.db.rows(sql`select action, detail->>'code' as code
      from audit_log where subject = ${id} order by id`)
    assert.deepEqual(lines, [
      { action: 'discount.turned_off', code },
      { action: 'discount.turned_on', code },
    ])
    // The seller sees what the discount took off.
    const { id: invoice_id } = await service.world.db.one<{ id: string }>(sql`select i.id
      from invoices i join invoice_lines l on l.invoice_id = i.id where l.code = ${code}
        and i.status = 'paid'`)
    const sale = await seller.open(`/dashboard/apps/tidepool/sales/${invoice_id}/`)
    assert.match(textOf(sale.body), new RegExp(`Discount ${code} −\\$`))
  })

  test('of another seller are not found, on the page and by id', async () => {
    const { id } = await addCode(service, service.demo.app.client_id)
    const { email } = service.demo.operator
    const { client_id } = await addSellerWithApp(service, { email, slug: 'lighthouse' })
    const { db, clock, seller_terms_version: version } = service.world
    const { seller_id } = await apps.get(db, client_id)
    await sellers.acceptTerms(db, clock.now(), { seller_id, version })
    const own = await addCode(service, client_id)
    const other = await signedIn(service, service.demo.operator)
    assert.equal((await other.open(PAGE)).status, 404)
    const page = await other.open('/dashboard/apps/lighthouse/discounts/')
    other.page = { ...page, body: page.body.replaceAll(own.id, id) }
    assert.equal((await other.submit(`Deactivate ${own.code}`)).status, 404)
    assert.equal((await discounts.getDiscount(service.world.db, id)).is_active, true)
  })
})
