import assert from 'node:assert/strict'
import { createHash } from 'node:crypto'
import { after, before, describe, test } from 'node:test'
import { parse } from 'csv-parse/sync'
import * as affiliates from '#domain/affiliates'
import * as imports from '#domain/imports'
import * as ledger from '#domain/ledger'
import { archiveOf, EXPORT_TABLES } from '#flows/export-seller'
import { readVersions, replaceVersions } from '#flows/listing'
import { viewAsSeller } from '#flows/staff-actions'
import type { ProductId, SellerId } from '#platform/ids'
import { cents, formatAmount } from '#platform/money'
import { sql } from '#platform/sql'
import { signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { addCode } from '../support/discounts.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { testId } from '../support/ids.ts'
import { checkedImport, runChecked } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { asVersionInput, ownApp, requireWritten } from '../support/listing.ts'
import { buyer, licenseKey, purchase } from '../support/purchase.ts'
import { buy, refund, staffActor } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, runDue } from '../support/subscriber.ts'
import { readZip } from '../support/zip.ts'

type Cells = Record<string, string>

let service: TestService
let seller_id: SellerId
let key: string
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  const { db } = service.world
  const app = await db.one<{ seller_id: SellerId }>(sql`select seller_id from apps
    where id = ${service.demo.app.client_id}`)
  seller_id = app.seller_id
  key = licenseKey(await purchase(service, buyer(service), { email: '+one@example.com' }))
  await purchase(service, buyer(service), { email: 'two@example.com', price: 2 })
})
after(() => assertInvariantsAndClose(service))

async function archive(with_keys: boolean, of = seller_id): Promise<Map<string, Buffer>> {
  const parts: Buffer[] = []
  const scope = { seller_id: of, with_keys }
  for await (const part of archiveOf(service.world, scope, async () => {})) parts.push(part)
  return readZip(Buffer.concat(parts))
}

const rowsOf = (files: Map<string, Buffer>, name: string): Cells[] =>
  parse(files.get(name)!, { columns: true })

describe('an export of everything', () => {
  test('has a manifest with the rows, the digest and the columns of every file', async () => {
    const files = await archive(false)
    const manifest = JSON.parse(files.get('manifest.json')!.toString())
    assert.equal(manifest.format, 1)
    assert.equal(manifest.mode, 'test')
    const customers = manifest.files.find(({ name }: { name: string }) => name === 'customers.csv')
    assert.match(customers.columns.paid, /after refunds and lost disputes/)
    assert.deepEqual(
      manifest.files.map(({ name }: { name: string }) => name).sort(),
      [...files.keys()].filter((name) => name !== 'manifest.json').sort(),
    )
    for (const { name, rows, sha256, columns } of manifest.files) {
      const content = files.get(name)!
      assert.equal(sha256, createHash('sha256').update(content).digest('hex'), name)
      if (!name.endsWith('.csv')) continue
      const [heading, ...records] = parse(content)
      assert.deepEqual(heading, Object.keys(columns), name)
      assert.equal(records.length, rows, name)
    }
  })

  test('selects every column that its tables describe, and no other', async () => {
    const { db } = service.world
    for (const table of EXPORT_TABLES) {
      const [first] = await table.page(db, { seller_id, after: '', limit: 1 })
      if (!first) continue
      const described = Object.keys(table.columns).sort()
      assert.deepEqual(Object.keys(first.row).sort(), described, table.name)
    }
  })

  test('has what was sold, to the cent', async () => {
    const files = await archive(false)
    const invoices = rowsOf(files, 'invoices.csv')
    const lines = rowsOf(files, 'invoice_lines.csv')
    assert.equal(invoices.length, 2)
    for (const { invoice_id, amount } of invoices) {
      const own = lines.filter((line) => line.invoice_id === invoice_id)
      const total = own.reduce((sum, line) => sum + Number(line.amount), 0)
      assert.equal(total.toFixed(2), amount)
    }
    assert.equal(rowsOf(files, 'orders.csv').length, 2)
    const balance = rowsOf(files, 'ledger.csv').reduce((sum, line) => sum + Number(line.amount), 0)
    const net = invoices.reduce((sum, { amount, fee }) => sum + Number(amount) - Number(fee), 0)
    assert.equal(balance.toFixed(2), net.toFixed(2))
  })

  test('contains license keys only if they were requested', async () => {
    const without = rowsOf(await archive(false), 'licenses.csv')
    assert.deepEqual([...new Set(without.map(({ license_key }) => license_key))], [''])
    const having = rowsOf(await archive(true), 'licenses.csv')
    assert.equal(having.filter(({ license_key }) => license_key === key).length, 1)
  })

  test('reads a table of several pages once and completely', async () => {
    const { db } = service.world
    for (const table of EXPORT_TABLES) {
      const whole = await table.page(db, { seller_id, after: '', limit: 1_000 })
      const found = []
      for (let after_row = ''; ; ) {
        const page = await table.page(db, { seller_id, after: after_row, limit: 2 })
        found.push(...page)
        if (page.length < 2) break
        after_row = page.at(-1)!.cursor
      }
      assert.deepEqual(found, whole, table.name)
    }
  })

  test('lists a buyer once who buys again while it is read', async () => {
    const { db } = service.world
    const table = EXPORT_TABLES.find(({ name }) => name === 'customers')!
    const listed: unknown[] = []
    await db.tx(async (tx) => {
      await tx.run(sql`create temporary table earlier on commit drop as select * from customers`)
      for (let after_row = ''; listed.length < 10; ) {
        const [first] = await table.page(tx, { seller_id, after: after_row, limit: 1 })
        if (!first) break
        listed.push(first.row.customer_id)
        after_row = first.cursor
        await tx.run(sql`update customers set license_id = (select max(id) from licenses)
          where user_id = ${String(first.row.customer_id)}`)
      }
      await tx.run(sql`update customers c set license_id = e.license_id from earlier e
        where e.app_id = c.app_id and e.user_id = c.user_id`)
    })
    assert.ok(listed.length > 1)
    assert.deepEqual(listed, [...new Set(listed)])
  })

  test('names no member of staff, and none of their reasons', async () => {
    const staff = { ...(await staffActor(service)), reason: 'We suspect fraud.' }
    const session_id = testId('ses_x')
    await viewAsSeller(service.world, staff, { session_id, seller_id })
    const audit = rowsOf(await archive(false), 'audit.csv')
    const viewed = audit.filter(({ action }) => action === 'seller.viewed')
    assert.deepEqual(
      viewed.map(({ actor, channel, detail }) => ({ actor, channel, detail })),
      [{ actor: 'Purser staff', channel: 'admin', detail: '{}' }],
    )
  })

  test('contains nothing from another seller', async () => {
    const { email } = await signUp(service)
    const { client_id } = await addSellerWithApp(service, { email, slug: 'lighthouse' })
    const other = await service.world.db.one<{ id: SellerId }>(sql`select seller_id as id from apps
      where id = ${client_id}`)
    const files = await archive(true, other.id)
    for (const name of ['licenses', 'customers', 'invoices', 'orders', 'ledger', 'audit']) {
      assert.deepEqual(rowsOf(files, `${name}.csv`), [], name)
    }
  })

  test('can be imported again: the same number of licenses, and their keys', async () => {
    const licenses = (await archive(true)).get('licenses.csv')!.toString()
    const other = await openTestService()
    try {
      const plan = await other.world.db.one<{ id: ProductId }>(sql`select id from products
        where app_id = ${other.demo.app.client_id} and not is_free limit 1`)
      const facts = { source: 'purser', file: licenses, product_id: plan.id } as const
      const { id, counts, faults } = await checkedImport(other, facts)
      const entitled = rowsOf(new Map([['l', Buffer.from(licenses)]]), 'l').filter(({ status }) =>
        ['active', 'trialing', 'one_time_active'].includes(status!),
      )
      assert.deepEqual([counts.create, faults], [entitled.length, 0])
      const { status } = await runChecked(other, id)
      assert.equal(status, 'done')
      const { count } = await other.world.db.one<{ count: number }>(sql`select count(*) as count
        from license_key_aliases`)
      assert.equal(count, entitled.length)
      const rows = await imports.reportedRows(other.world.db, { import_id: id, after: 0, limit: 9 })
      assert.ok(rows.some(({ email }) => email === '+one@example.com'))
    } finally {
      await other.close()
    }
  })

  test('has every term of a discount code', async () => {
    const { client_id } = service.demo.app
    const { db } = service.world
    const { id: product_id } = await db.one<{ id: ProductId }>(sql`select id from products
      where app_id = ${client_id} and not is_free limit 1`)
    const terms = { is_once_per_buyer: true, is_first_purchase: false, product_ids: [product_id] }
    await addCode(service, client_id, terms)
    const [row] = rowsOf(await archive(false), 'discounts.csv')
    assert.equal(row?.is_once_per_buyer, 'true')
    assert.equal(row?.is_first_purchase, 'false')
    assert.equal(row?.product_ids, JSON.stringify([product_id]))
  })

  test('says of the prices of a deleted plan when they were taken off sale', async () => {
    const { world } = service
    const { app, actor } = await ownApp(service, service.demo.sign_in_app.slug)
    const [kept, deleted] = await readVersions(world.db, app.id)
    const edit = { app, dry_run: false, versions: [asVersionInput(kept!)] }
    requireWritten(await replaceVersions(world, actor, edit))
    const files = await archive(false)
    const ofDeleted = (rows: Cells[]) =>
      rows.filter(({ product_id }) => product_id === deleted!.product_public_id)
    const [plan] = ofDeleted(rowsOf(files, 'products.csv'))
    assert.ok(plan?.deleted_at)
    assert.deepEqual(
      ofDeleted(rowsOf(files, 'prices.csv')).map(({ deleted_at }) => deleted_at),
      deleted!.prices.map(() => plan.deleted_at),
    )
  })

  test('says of a subscription that has ended that it does not renew', async () => {
    const [kept, refunded] = [await buy(service), await buy(service)]
    await refund(service, refunded)
    const rows = rowsOf(await archive(false), 'subscriptions.csv')
    const renews = new Map(rows.map(({ license_id, auto_renew }) => [license_id, auto_renew]))
    assert.equal(renews.get(kept.license_id), 'true')
    assert.equal(renews.get(refunded.license_id), 'false')
  })

  test('has what affiliates earned on paid invoices, after refunds and disputes', async () => {
    const { db } = service.world
    const query = '?ref=coast-walks'
    await buy(service, { query, card: CARD.never_renews })
    await refund(service, await buy(service, { query, price: 2 }), 9_450)
    const lost = await buy(service, { query, price: 2 })
    await decideDispute(service, await disputeCharge(service, lost.charge), 'lost')
    service.clock.pass(32 * DAY)
    await runDue(service)
    const affiliate_id = (await affiliates.findByCode(db, 'coast-walks'))!.id
    const owed = 0 - (await ledger.balanceOf(db, 'affiliate_payable', affiliate_id))
    assert.deepEqual(rowsOf(await archive(false), 'affiliates.csv'), [
      { affiliate_id, code: 'coast-walks', invoices: '3', commission: formatAmount(cents(owed)) },
    ])
  })
})

describe('the page of the export', () => {
  let owner: Agent
  before(async () => {
    owner = await signedIn(service, service.demo.seller)
  })

  test('creates an archive that its owner downloads, and is audited', async () => {
    const agent = owner.twin()
    await agent.open('/dashboard/export/')
    const ready = await agent.runTask('Export everything', { with_keys: 'yes' })
    assert.match(textOf(ready.body), /purser-export-\d{4}-\d\d-\d\d\.zip/)
    const entry = await service.world.db.one<{ detail: object }>(sql`select detail from audit_log
      where action = 'seller.data_exported' order by id desc limit 1`)
    assert.deepEqual(entry.detail, { with_keys: true })
    await service.world.db.run(sql`update seller_members set role = 'admin'
      where seller_id = ${seller_id}`)
    assert.equal((await agent.open(ready.url)).status, 404)
    await service.world.db.run(sql`update seller_members set role = 'owner'
      where seller_id = ${seller_id}`)
    assert.equal((await agent.open(ready.url)).status, 200)
    service.clock.pass(601)
    for (const url of [ready.url, ready.url.replace(/ready\/$/, 'file')]) {
      await agent.open(url)
      assert.match(agent.page.url, /^\/account\/confirm/)
    }
  })
})
