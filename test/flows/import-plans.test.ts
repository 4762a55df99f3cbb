import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as imports from '#domain/imports'
import { type ProductId, readId } from '#platform/ids'
import { sql } from '#platform/sql'
import { type Agent, textOf } from '../support/agent.ts'
import { selected } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const IMPORT = '/dashboard/apps/tidepool/import/'
const HEADING = 'Purchase ID,Purchase Email,Item Name,Purchase Date,Item Price ($)'

let service: TestService
let seller: Agent
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  seller = await signedIn(service, service.demo.seller)
})
after(() => assertInvariantsAndClose(service))

/** Uploads and reads a file. */
async function read(source: imports.ImportSource, lines: string[]): Promise<void> {
  await seller.open(IMPORT)
  await seller.upload('Upload file', Buffer.from(lines.join('\n')), { source })
  await seller.runTask('Read file', selected(seller.page.body))
}

/** Uploads and reads a file of Gumroad with one sale of each product. */
async function readSales(products: [name: string, price: string][]): Promise<void> {
  const rows = products.map(
    ([name, price], at) => `s${at},buyer-${at}@example.com,"${name}",2026-03-01,${price}`,
  )
  await read('gumroad', [HEADING, ...rows])
}

/** Sends the plans of the page, in its order: an option for each product. */
async function choose(...options: string[]): Promise<void> {
  const fields = options.map((option, index) => [`plan-${index}`, option])
  await seller.runTask('Start dry run', Object.fromEntries(fields))
}

/** The errors of the form: the field, and what is wrong with it. */
const errors = () =>
  [...seller.page.body.matchAll(/id="(plan-\d+)-error"[^>]*>(.*?)<\/p>/gs)].map(
    ([, field, message]) => `${field}: ${textOf(message!)}`,
  )

describe('a plan that an import should create', () => {
  test('needs a name and a price of its product, and a name that no plan has', async () => {
    await readSales([
      ['', '29.00'],
      ['Adrift', ''],
      ['Becalmed', '0.50'],
      ['PRO', '29.00'],
      ['Sailing', '29.00'],
    ])
    await choose('create', 'create', 'create', 'create', 'create')
    assert.equal(seller.page.status, 422)
    assert.deepEqual(errors(), [
      'plan-0: These rows have no name for a plan. Choose a plan of the app.',
      'plan-1: The file has no price for this product that a plan can have. Add the plan on the Plans page, and choose it here.',
      'plan-3: A plan with this name exists. Choose it, or add one on the Plans page.',
    ])
    await choose('skip', 'skip', 'create', 'skip', 'create')
    assert.deepEqual(errors(), [
      'plan-2: The plan was not created: Use US dollars with two decimals, such as "12.00", from 1.00 to 99999.99.',
    ])
    assert.deepEqual(selected(seller.page.body), {
      'plan-0': 'skip',
      'plan-1': 'skip',
      'plan-2': 'create',
      'plan-3': 'skip',
      'plan-4': 'create',
    })
  })

  test('is matched with the rows of a product whose accents are typed in another way', async () => {
    await readSales([['Cafe\u0301', '29.00']])
    await choose('create')
    assert.match(seller.text, /License created 1/)
    const id = readId('imp', /imp_\w+/.exec(seller.page.url)?.[0])!
    const { plans } = await imports.getImport(service.world.db, id)
    const { id: product_id } = await service.world.db.one<{ id: ProductId }>(
      sql`select id from products where name = ${'Caf\u00e9'}`,
    )
    assert.deepEqual(plans, { 'Cafe\u0301': product_id })
  })
})

test('rows that would be lifetime licenses are counted, with a warning about orders', async () => {
  const ORDERS = /Orders do not say whether they began a subscription/
  await read('lemon_squeezy', [
    'id,product_name,user_email,status',
    '1,Monthly,a@example.com,paid',
    '2,Monthly,b@example.com,refunded',
  ])
  assert.match(seller.text, /2 rows, 1 with no end date/)
  assert.match(seller.text, ORDERS)
  // What is not imported has no end to show.
  await choose('skip')
  const ends = [...seller.page.body.matchAll(/<td[^>]*>(Never)?<\/td>/g)]
  assert.deepEqual(
    ends.map(([, text]) => text),
    ['Never', undefined],
  )
  await read('lemon_squeezy', [
    'id,product_name,user_email,status,key',
    '4,Monthly,d@example.com,active,KEY-4',
  ])
  assert.match(seller.text, /1 row, 1 with no end date/)
  assert.doesNotMatch(seller.text, ORDERS)
  await read('lemon_squeezy', [
    'id,product_name,user_email,status,renews_at',
    '3,Monthly,c@example.com,active,2026-04-01',
  ])
  assert.doesNotMatch(seller.text, /with no end date/)
  assert.doesNotMatch(seller.text, ORDERS)
})

test('transactions of Paddle that have no end come with a warning about refunds', async () => {
  await read('paddle', [
    'transaction_id,status,customer_email,subscription_id,product_name',
    'txn_1,completed,paddle@example.com,,Once',
  ])
  assert.match(seller.text, /1 row, 1 with no end date/)
  assert.match(seller.text, /Paddle keeps a refunded transaction as completed/)
})

test('a file without rows says so, and names no errors', async () => {
  await readSales([])
  assert.match(seller.text, /Nothing to import The file has no rows that can be imported\./)
  assert.doesNotMatch(seller.text, /errors below/)
})

test('a product with the name of a property of objects is created and imported', async () => {
  await readSales([
    ['__proto__', '29.00'],
    ['constructor', '29.00'],
  ])
  await choose('create', 'create')
  assert.match(seller.text, /License created 2/)
  const again = selected(seller.page.body)
  assert.match(Object.values(again).join(), /^prod_\w+,prod_\w+$/)
  await readSales([['constructor', '29.00']])
  assert.deepEqual(selected(seller.page.body), { 'plan-0': again['plan-1'] })
})

test('a product without a plan is named, and so are rows without a product', async () => {
  await readSales([
    ['', '29.00'],
    ['Adrift', '1299.00'],
  ])
  assert.match(seller.text, /1 row, 1 with no end date, \$1,299\.00/)
  await choose('', '')
  assert.deepEqual(errors(), [
    'plan-0: Choose a plan for the rows without a product.',
    'plan-1: Choose a plan for Adrift.',
  ])
})
