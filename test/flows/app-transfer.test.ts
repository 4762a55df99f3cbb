import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { offerTransfer, requestApproval, unpublishApp, withdrawTransfer } from '#flows/app'
import { switchDiscount } from '#flows/discounts'
import { uploadImport } from '#flows/imports'
import { rotateSecret, rotateToClaim, saveAddresses } from '#flows/integration'
import { highlightPlan, replaceVersions, updateListing } from '#flows/listing'
import { startPreview } from '#flows/preview'
import { quoteRefund, refundCharge } from '#flows/refund'
import { applyRetention } from '#flows/retention'
import { type AppId, type InvoiceId, mintId, type SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { PASSWORD } from '../support/account.ts'
import { textOf } from '../support/agent.ts'
import {
  accept,
  newApp,
  offer,
  otherSeller,
  sellerOf,
  transferToOtherSeller,
} from '../support/app-transfer.ts'
import { addCode } from '../support/discounts.ts'
import { decideDispute, disputeCharge } from '../support/disputes.ts'
import { checkedImport, paidProducts, runChecked } from '../support/imports.ts'
import { assertInvariants, assertInvariantsAndClose } from '../support/invariants.ts'
import { ownApp } from '../support/listing.ts'
import { emailTo } from '../support/mailbox.ts'
import { mcpAgent } from '../support/mcp.ts'
import { basic } from '../support/purchase.ts'
import { refund, sellerActor } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, passDays, runDue, subscribe } from '../support/subscriber.ts'

// Guards point 3 of issue 11: transfer of an app (decision 100).

let service: TestService

before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => assertInvariantsAndClose(service))

/** What the ledger owes a seller for an app, without what is reserved for disputes, in cents. */
async function owed(seller_id: SellerId, app_id: AppId): Promise<number> {
  const { amount } = await service.world.db.one<{ amount: number }>(sql`
    select coalesce(-sum(e.amount), 0)::bigint as amount
    from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
    where e.account = 'seller_payable' and e.owner = ${seller_id} and t.subject in (
      select id from invoices where app_id = ${app_id}
      union all select r.id from refunds r join charges c on c.id = r.charge_id
        join invoices i on i.id = c.invoice_id where i.app_id = ${app_id}
      union all select d.id from disputes d join charges c on c.id = d.charge_id
        join invoices i on i.id = c.invoice_id where i.app_id = ${app_id})`)
  return amount
}

async function invoicesSold(app_id: AppId) {
  return await service.world.db.rows<{ id: InvoiceId; seller_id: SellerId; kind: string }>(
    sql`select id, seller_id, kind from invoices where app_id = ${app_id} and status = 'paid'
      order by number`,
  )
}

const chargeOf = async (invoice_id: InvoiceId) =>
  await service.world.db.one<{ id: never; processor_charge_id: never }>(
    sql`select id, processor_charge_id from charges where invoice_id = ${invoice_id}`,
  )

async function loseDispute(invoice_id: InvoiceId): Promise<void> {
  const dispute = await disputeCharge(service, await chargeOf(invoice_id))
  await decideDispute(service, dispute, 'lost')
  await handleEvents(service.world)
}

async function owesMoney(owner: SellerId): Promise<boolean> {
  return await payouts.areBlocked(service.world.db, owner)
}

/** Sells until the seller owes nothing. */
async function repayBySales(seller_id: SellerId): Promise<void> {
  while (await owesMoney(seller_id)) await subscribe(service)
}

describe('a transfer', () => {
  test('moves no money: each invoice stays with its seller, and later ones are the new one’s', async () => {
    const app = await newApp(service)
    const former = await sellerOf(service, app.client_id)
    await subscribe(service, { app })
    const before = await owed(former, app.client_id)
    assert.ok(before > 0)
    const { seller_id } = await transferToOtherSeller(service, app)
    assert.equal(await owed(former, app.client_id), before)
    assert.equal(await owed(seller_id, app.client_id), 0)

    await subscribe(service, { app })
    await passDays(service, 32)
    const sold = await invoicesSold(app.client_id)
    assert.deepEqual(
      sold.map((each) => [each.kind, each.seller_id === former ? 'former' : 'new']),
      [
        ['purchase', 'former'],
        ['purchase', 'new'],
        ['renewal', 'new'],
        ['renewal', 'new'],
      ],
    )
    assert.equal(await owed(former, app.client_id), before)
    assert.equal(await owed(seller_id, app.client_id), 3 * before)
    await assertInvariants(service)
  })

  test('leaves refunds and disputes of earlier sales to the seller who sold them', async () => {
    const app = await newApp(service)
    const former = await sellerOf(service, app.client_id)
    await subscribe(service, { app })
    await subscribe(service, { app })
    const [refunded, disputed] = await invoicesSold(app.client_id)
    const { seller_id } = await transferToOtherSeller(service, app)

    await refund(service, { invoice_id: refunded!.id }, undefined, 'operator')
    await loseDispute(disputed!.id)
    assert.ok((await owed(former, app.client_id)) < 0)
    assert.equal(await owed(seller_id, app.client_id), 0)
    await repayBySales(former)
    await assertInvariants(service)
  })

  test('waits until the seller owes nothing and its payouts are not paused', async () => {
    const { db, clock } = service.world
    const app = await newApp(service)
    const former = await sellerOf(service, app.client_id)
    while (!(await owesMoney(former))) {
      await subscribe(service, { app })
      const [sold] = (await invoicesSold(app.client_id)).toReversed()
      await loseDispute(sold!.id)
    }
    const to = await otherSeller(service)
    const owner = await signedIn(service, service.demo.seller)
    await owner.open(`/dashboard/apps/${app.slug}/transfer/`)
    assert.match(owner.text, /Your payouts are paused or your balance is negative/)
    assert.ok(!owner.text.includes('Offer app'))
    // A form that was opened before.
    const { email } = to
    const form = { app_id: app.client_id, email, email_normalized: email, reason: 'Sold' }
    const actor = { ...(await sellerActor(service)), seller_id: former }
    assert.equal(await offerTransfer(service.world, actor, form), 'payouts_blocked')
    await repayBySales(former)
    assert.match((await offer(service, app.slug, to.email)).text, /Offered\. We emailed/)

    await sellers.setPayoutsPaused(db, former, clock.now())
    assert.match((await accept(to)).body, /This app cannot be transferred yet/)
    assert.equal(await sellerOf(service, app.client_id), former)
    await sellers.setPayoutsPaused(db, former, null)
    await accept(to)
    assert.equal(await sellerOf(service, app.client_id), to.seller_id)
    await assertInvariants(service)
  })

  test('of an app with an unpaid renewal leaves that invoice to the seller who wrote it', async () => {
    const app = await newApp(service)
    const former = await sellerOf(service, app.client_id)
    await subscribe(service, { app, card: '4999990000000114' })
    service.clock.pass(31 * DAY)
    await runDue(service)
    const { seller_id } = await transferToOtherSeller(service, app)
    await passDays(service, 10)
    const renewals = (await invoicesSold(app.client_id)).filter(({ kind }) => kind === 'renewal')
    assert.deepEqual(
      renewals.map((each) => each.seller_id),
      [former],
    )
    assert.equal(await owed(seller_id, app.client_id), 0)
    await assertInvariants(service)
  })

  test('lets the new seller refund only what it sold', async () => {
    const app = await newApp(service)
    await subscribe(service, { app })
    const to = await transferToOtherSeller(service, app)
    await subscribe(service, { app })
    const [old, recent] = await invoicesSold(app.client_id)
    const { world } = service
    const { id: user_id } = (await identity.findByEmail(world.db, to.email))!
    const actor = { kind: 'seller', user_id, request_id: mintId(world.random, 'req') } as const
    const quote = await quoteRefund(world, actor, { invoice_id: old!.id })
    assert.deepEqual(quote, { refusal: 'sold_before_transfer', left: undefined })
    const request = { invoice_id: old!.id, reason: 'Not ours to give back.' }
    assert.equal((await refundCharge(world, actor, request)).outcome, 'refused')
    const page = await to.agent.open(`/dashboard/apps/${app.slug}/sales/${old!.id}/refund`)
    assert.match(textOf(page.body), /A former seller of this app sold this/)
    const own = await refundCharge(world, actor, { ...request, invoice_id: recent!.id })
    assert.equal(own.outcome, 'refunded')
    const outsider = await refundCharge(world, await sellerActor(service), request)
    assert.equal(outsider.outcome, 'refused')
  })

  test('ends the access of the former seller, its server and its agents', async () => {
    const app = await newApp(service)
    const { world } = service
    const { db, clock } = world
    const { license_key } = await subscribe(service, { app })
    const program = await mcpAgent(service, { email: service.demo.seller.email })
    const listed = async () => JSON.stringify((await program.call('list_apps')).json)
    assert.ok((await listed()).includes(app.client_id))
    await apps.setOnSale(db, app.client_id, { is_published: true, external_sales_enabled: false })
    await requestApproval(world, await sellerActor(service), app.client_id)
    const { user_id } = await sellerActor(service)
    const session = { user_id, app_id: null }
    const found = await apps.get(db, app.client_id)
    const { product_id } = app
    const request = { session, request_id: mintId(world.random, 'req') }
    assert.ok(await startPreview(world, request, { app: found, product_id }))
    const to = await otherSeller(service)
    const owner = await offer(service, app.slug, to.email)
    const page = await accept(to)
    assert.equal(page.url, `/dashboard/apps/${app.slug}/integration/`)

    const answer = await service.app.inject({
      method: 'POST',
      url: '/api/v1/licenses/validate',
      headers: basic(service, app),
      payload: { key: license_key },
    })
    assert.equal(answer.statusCode, 401)
    assert.equal((await owner.open(`/dashboard/apps/${app.slug}/`)).status, 404)
    assert.ok(!(await listed()).includes(app.client_id))
    const moved = await apps.get(db, app.client_id)
    assert.deepEqual([moved.seller_id, moved.external_sales_enabled], [to.seller_id, false])
    assert.equal(await apps.latestApproval(db, app.client_id), undefined)
    const { previews } = await db.one<{ previews: number }>(sql`select count(*)::int as previews
      from licenses where app_id = ${app.client_id} and status = 'preview'`)
    assert.equal(previews, 0)
    // The request of a former member who read the app before the transfer.
    assert.equal(await startPreview(world, request, { app: found, product_id }), false)
    assert.equal(await apps.openTransferOf(db, clock.now(), app.client_id), undefined)
  })

  test('ends what the former seller began before it: no secret, and no change', async () => {
    const app = await newApp(service)
    const { world } = service
    const seller_id = await sellerOf(service, app.client_id)
    const actor = { ...(await sellerActor(service)), seller_id }
    const agent = { ...actor, kind: 'agent', agent: 'A test' } as const
    await transferToOtherSeller(service, app)
    const { client_id: app_id } = app
    const replaces = apps.secretName(await apps.getClientOf(world.db, app_id))
    const changes = { redirect_uris: ['http://localhost:1/'] }
    const edit = { app: await apps.get(world.db, app_id), dry_run: false }
    const free = { name: 'Free', is_free: true, prices: [] }
    const code = await addCode(service, app_id)
    for (const late of [
      () => replaceVersions(world, agent, { ...edit, versions: [free] }),
      () => updateListing(world, agent, { ...edit, changes: { tagline: 'Late' } }),
      () => highlightPlan(world, actor, { app_id, product_id: app.product_id }),
      () => switchDiscount(world, actor, { ...edit, id: code.id, to: 'off' }),
      () => rotateSecret(world, actor, { app_id, replaces }),
      () => rotateToClaim(world, agent, { app_id, dry_run: false }),
      () => saveAddresses(world, actor, { app: { id: app_id }, changes }),
      () => unpublishApp(world, actor, app_id),
    ]) {
      await assert.rejects(late, { code: 'not_found', status: 404 })
    }
    const client = await apps.getClientOf(world.db, app_id)
    assert.deepEqual([client.secret_hash, client.redirect_uris], [null, []])
    const { app: moved, actor: owner } = await ownApp(service, app.slug)
    const to = { email: 'third@example.com', email_normalized: 'third@example.com' }
    const next = { ...owner, seller_id: moved.seller_id }
    await offerTransfer(world, next, { ...to, app_id, reason: 'Sold again' })
    assert.equal(await withdrawTransfer(world, actor, app_id), false)
    assert.equal(await withdrawTransfer(world, next, app_id), true)
  })

  test('hides the files that the former seller imported', async () => {
    const app = await newApp(service)
    const { db, clock, random } = service.world
    const { user_id } = await sellerActor(service)
    const upload = async () => {
      const id = mintId(random, 'imp')
      const seller_id = await sellerOf(service, app.client_id)
      const file = {
        file_name: `${id}.csv`,
        file_bytes: 10,
        columns: ['Email'],
        matched: {},
        rows: 0,
      }
      const own = { id, app_id: app.client_id, seller_id, user_id, ...file } as const
      await imports.addImport(db, clock.now(), { ...own, source: 'gumroad' })
      return id
    }
    const before = await upload()
    const { email } = await transferToOtherSeller(service, app)
    const agent = await signedIn(service, { email, password: PASSWORD })
    const since = await upload()
    const page = `/dashboard/apps/${app.slug}/import/`
    const { body } = await agent.open(page)
    assert.deepEqual([body.includes(before), body.includes(since)], [false, true], textOf(body))
    const statuses = []
    for (const id of [before, since]) statuses.push((await agent.open(`${page}${id}/`)).status)
    assert.deepEqual(statuses, [404, 200])
  })

  test('deletes the files that the former seller imported, which it can no longer delete', async () => {
    const app = await newApp(service)
    const { demo, world, clock } = service
    const own = { ...service, demo: { ...demo, app: { ...demo.app, ...app } } } as TestService
    const seller_id = await sellerOf(service, app.client_id)
    const [product_id] = await paidProducts(own)
    const rows = '1,Pro,left@example.com,active,LEFT-1\n2,Pro,no address,active,LEFT-2'
    const file = `id,product_name,user_email,status,key\n${rows}`
    const facts = { source: 'lemon_squeezy', file, product_id: product_id! } as const
    const upload = async () => (await checkedImport(own, facts)).id
    const stored = async () =>
      (await world.db.tx((tx) => imports.lockStoredImports(tx, clock.now(), seller_id))).rows
    const before = await stored()
    const [checked, done] = [await upload(), await upload()]
    await runChecked(own, done)
    assert.equal(await stored(), before + 4)
    await transferToOtherSeller(service, app)
    const late = uploadImport(world, {
      app_id: app.client_id,
      seller_id,
      user_id: (await sellerActor(service)).user_id,
      source: 'lemon_squeezy',
      file_name: 'file.csv',
      content: Buffer.from(file),
    })
    await assert.rejects(late, { code: 'not_found' })
    clock.pass(2 * DAY)
    await applyRetention(world)
    assert.equal(await stored(), before)
    const left = sql`select id from imports where id in (${checked}, ${done})`
    assert.deepEqual(await world.db.rows(left), [])
  })

  test('stops an import of the former seller', async () => {
    const app = await newApp(service)
    const { demo, world } = service
    const own = { ...service, demo: { ...demo, app: { ...demo.app, ...app } } } as TestService
    const [product_id] = await paidProducts(own)
    const row = (at: number) => `${at},Pro,late-${at}@example.com,active,LATE-${at}`
    const rows = Array.from({ length: 250 }, (_, at) => row(at))
    const file = ['id,product_name,user_email,status,key', ...rows].join('\n')
    const facts = { source: 'lemon_squeezy', file, product_id: product_id! } as const
    const { id } = await checkedImport(own, facts)
    const imported = async () =>
      (
        await world.db.one<{ count: number }>(sql`select count(*) as count from licenses
          where app_id = ${app.client_id} and origin = 'import'`)
      ).count
    let before = 0
    await runChecked(own, id, {
      async report() {
        if (before > 0) return
        await transferToOtherSeller(service, app)
        before = await imported()
      },
    })
    assert.ok(before < rows.length)
    assert.equal(await imported(), before)
    assert.equal((await imports.getImport(world.db, id)).status, 'importing')
  })

  test('appears in the activity of both sellers, and is emailed to both', async () => {
    const app = await newApp(service)
    const to = await otherSeller(service)
    const owner = await offer(service, app.slug, to.email)
    const message = await emailTo(service, to.email, /offers you Offered/)
    assert.match(message, /We focus on another app\./)
    assert.match(message, /\/dashboard\/transfers\//)
    await accept(to)
    await emailTo(service, to.email, /is now yours$/)
    await emailTo(service, service.demo.seller.email, /was transferred to Another LLC$/)
    const { name } = await apps.get(service.world.db, app.client_id)
    for (const agent of [owner, to.agent]) {
      const { body } = await agent.open('/dashboard/activity/')
      assert.match(textOf(body), new RegExp(`App: transferred ${name}`))
    }
  })
})

test('the database refuses to give an invoice to another seller', async () => {
  const { db } = service.world
  const app = await newApp(service)
  await subscribe(service, { app })
  const { seller_id } = await otherSeller(service)
  await assert.rejects(
    db.run(sql`update invoices set seller_id = ${seller_id} where app_id = ${app.client_id}`),
    /append only/,
  )
})
