import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as apps from '#domain/apps'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { sendEvidence } from '#flows/dispute'
import { refundCharge } from '#flows/refund'
import { resendReceipt } from '#flows/resend-receipt'
import { rotateKey } from '#flows/rotate-key'
import { endNow, extendTrial, givePlan, resendKeyEmail, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import {
  type AppId,
  type DisputeId,
  type InvoiceId,
  type OrderId,
  parseId,
  type SellerId,
} from '#platform/ids'
import { sql } from '#platform/sql'
import { PASSWORD, signUp } from '../support/account.ts'
import { type Agent, textOf } from '../support/agent.ts'
import { newApp, otherSeller, sellerOf } from '../support/app-transfer.ts'
import { addApp, type OtherApp, setOnSale } from '../support/apps.ts'
import { untilBlocked } from '../support/blocked.ts'
import { disputeCharge } from '../support/disputes.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { HOMES, payeeOf, withBank } from '../support/payees.ts'
import { sellerActor } from '../support/refunds.ts'
import { addSellerWithApp, signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY, subscribe } from '../support/subscriber.ts'

// Sales of a transferred app, for the seller who made them (point 3 of issue 11, decision 100)

const SLUG = 'handed-over'

let service: TestService
let app: OtherApp
let former: Agent
let next_email: string
let earlier: InvoiceId[]
let later: InvoiceId
before(async () => {
  service = await openTestService()
  await service.listen()
  app = await addApp(service, { slug: SLUG })
  for (let sale = 0; sale < 6; sale++) await subscribe(service, { app })
  earlier = await sold(app.client_id)
  await transfer()
  await subscribe(service, { app })
  later = (await sold(app.client_id)).at(-1)!
  service.clock.pass(7 * DAY)
  former = await withBank(service, 'seller')
  await former.open(HOMES.seller)
  await former.submit('Pay out now')
})
after(() => assertInvariantsAndClose(service))

async function sold(app_id: AppId): Promise<InvoiceId[]> {
  const rows = await service.world.db.rows<{ id: InvoiceId }>(
    sql`select id from invoices where app_id = ${app_id} order by number`,
  )
  return rows.map(({ id }) => id)
}

/** Transfers the app from the cast's seller to another one, who is approved. */
async function transfer(): Promise<void> {
  const { world } = service
  const { email, agent } = await signUp(service)
  const { client_id } = await addSellerWithApp(service, { email, slug: 'receiver' })
  const { seller_id } = await apps.get(world.db, client_id)
  await acceptedTerms(seller_id)
  const owner = await signedIn(service, service.demo.seller)
  await owner.open(`/dashboard/apps/${SLUG}/transfer/`)
  await owner.submit('Offer app', { email, reason: 'We focus on another app.' })
  await agent.open('/dashboard/transfers/')
  await agent.submit(/^Accept for /)
  await setOnSale(service, app.client_id, { is_published: true, external_sales_enabled: true })
  next_email = email
}

async function acceptedTerms(seller_id: SellerId): Promise<void> {
  const { db, seller_terms_version: version } = service.world
  await db.run(sql`update sellers set terms_version = ${version}, terms_accepted_at = now()
    where id = ${seller_id}`)
}

const saleOf = (id: InvoiceId) => `/dashboard/apps/${SLUG}/sales/${id}/`

test('every sale on the former seller’s statement opens, with its payout and without forms', async () => {
  await former.open(HOMES.seller)
  const [statement] = /\/dashboard\/payouts\/po_\w+\//.exec(former.page.body)!
  const { body } = await former.open(statement)
  const links = [...new Set(body.match(/\/dashboard\/apps\/[\w-]+\/sales\/inv_\w+\//g))]
  assert.deepEqual(links.toSorted(), earlier.map(saleOf).toSorted())
  for (const link of links) {
    const page = await former.open(link)
    assert.equal(page.status, 200, link)
    const text = textOf(page.body)
    assert.match(text, /You sold this before you transferred Harbor/)
    assert.match(text, /Your earnings \$4\.25/)
    assert.ok(page.body.includes(statement), 'the page links to its statement')
    assert.doesNotMatch(page.body, /\/refund"|\/customers\//)
    assert.ok(!page.body.includes(`/dashboard/apps/${SLUG}/sales/"`), 'no link leads to the list')
  }
})

test('the former seller opens neither later sales nor other pages of the app', async () => {
  for (const path of [
    saleOf(later),
    `${saleOf(earlier[0]!)}refund`,
    `/dashboard/apps/${SLUG}/`,
    `/dashboard/apps/${SLUG}/sales/`,
    // Another app does not lead to the sale.
    saleOf(earlier[0]!).replace(SLUG, 'receiver'),
    saleOf(earlier[0]!).replace(SLUG, 'tidepool'),
  ]) {
    assert.equal((await former.open(path)).status, 404, path)
  }
})

test('the new seller sees earlier sales as another seller’s, without payouts', async () => {
  const next = await signedIn(service, { email: next_email, password: PASSWORD })
  const old = textOf((await next.open(saleOf(earlier[0]!))).body)
  assert.match(old, /Seller earnings \$4\.25/)
  assert.doesNotMatch(old, /Your earnings|Payout \d|You sold this/)
  assert.match(textOf((await next.open(saleOf(later))).body), /Your earnings \$4\.25/)
})

test('other sellers and people without a seller do not open a sale made before', async () => {
  const { agent } = await signUp(service)
  assert.equal((await agent.open(saleOf(earlier[0]!))).status, 404)
  const { email, agent: third } = await signUp(service)
  await addSellerWithApp(service, { email, slug: 'third' })
  assert.equal((await third.open(saleOf(earlier[0]!))).status, 404)
})

test('staff who view another seller do not open a sale made before', async () => {
  const staff = await signedIn(service, service.demo.operator)
  const view = async (seller_id: SellerId) => {
    await staff.open(`/admin/sellers/${seller_id}/`)
    await staff.submit('View as this seller', { reason: 'a question about a statement' })
    return (await staff.open(saleOf(earlier[0]!))).status
  }
  const sellers = await service.world.db.rows<{ id: SellerId; slug: string }>(
    sql`select seller_id as id, slug from apps where slug in ('tidepool', 'third')`,
  )
  const bySlug = new Map(sellers.map(({ slug, id }) => [slug, id]))
  assert.equal(await view(bySlug.get('third')!), 404)
  await staff.open('/dashboard/')
  await staff.submit('Stop viewing')
  assert.equal(await view(bySlug.get('tidepool')!), 200)
})

test('staff see an open dispute of a sale at the seller who made it', async () => {
  const { db } = service.world
  await disputeCharge(service, (await payments.chargeOf(db, earlier[0]!))!)
  const former_id = parseId('sel', (await payeeOf(service, 'seller')).owner)
  const next_id = (await apps.get(db, app.client_id)).seller_id
  const figures = await sellers.sellerFigures(db, [former_id, next_id])
  const disputes = new Map(figures.map((each) => [each.id, each.disputes]))
  assert.deepEqual([disputes.get(former_id), disputes.get(next_id)], [1, 0])
})

test('the former seller ends nothing, gives nothing and sends nothing that it began before the transfer', async () => {
  const other = await newApp(service)
  const { world } = service
  const seller_id = await sellerOf(service, other.client_id)
  const actor = { ...(await sellerActor(service)), seller_id }
  const { license_id } = await subscribe(service, { app: other })
  const { client_id: app_id, product_id } = other
  const reason = 'Late'
  const given = { app_id, product_id, ends_at: null, reason }
  const to = (email: string) => ({ ...given, email, email_normalized: email })
  const comp = await givePlan(world, actor, to('comp@example.com'))
  assert.ok('license_id' in comp)
  const { id: order_id } = await world.db.one<{ id: OrderId }>(
    sql`select id from orders where license_id = ${license_id}`,
  )
  await apps.setSeller(world.db, app_id, (await otherSeller(service)).seller_id)
  const emails = () => world.db.one(sql`select count(*) as count from emails`)
  const known = [await licensing.getPausable(world.db, license_id), await emails()]
  const trial = { license_id, from: service.clock.now(), days: 7, reason }
  const rotation = { app_id, license_id, actor, rotation_key: null, reason }
  for (const late of [
    () => setAutoRenew(world, actor, { license_id, to: 'off', reason }),
    () => endNow(world, actor, { license_id, reason }),
    () => extendTrial(world, actor, trial),
    () => givePlan(world, actor, to('late@example.com')),
    () => rotateKey(world, rotation),
    () => resendReceipt(world, order_id, { actor, reason }),
    () => resendKeyEmail(world, comp.license_id, { actor, reason }),
  ]) {
    await assert.rejects(late, { code: 'not_found', status: 404 })
  }
  assert.deepEqual([await licensing.getPausable(world.db, license_id), await emails()], known)
})

type LateAction = (
  world: World,
  actor: ActorOf<'seller'>,
  of: { invoice_id: InvoiceId; dispute_id: DisputeId },
) => Promise<unknown>

const LATE: Record<string, LateAction> = {
  'a refund': (world, actor, { invoice_id }) =>
    refundCharge(world, actor, { invoice_id, reason: 'Late' }),
  'evidence about a dispute': (world, actor, { dispute_id }) =>
    sendEvidence(world, actor, { dispute_id, statement: 'Late' }),
}
for (const [what, act] of Object.entries(LATE)) {
  test(`${what} by the former seller waits for the transfer, and is refused`, async () => {
    const { world } = service
    const { db } = world
    const other = await newApp(service)
    const seller_id = await sellerOf(service, other.client_id)
    const actor = { ...(await sellerActor(service)), seller_id }
    for (let sale = 0; sale < 2; sale++) await subscribe(service, { app: other })
    const [refunded, disputed] = await sold(other.client_id)
    const charge = (await payments.chargeOf(db, refunded!))!
    const dispute = await disputeCharge(service, (await payments.chargeOf(db, disputed!))!)
    const next = await otherSeller(service)
    const begun = Promise.withResolvers<void>()
    const of = { invoice_id: refunded!, dispute_id: dispute.id }
    const late = Promise.allSettled([begun.promise.then(() => act(world, actor, of))])
    await db.tx(async (tx) => {
      await apps.lockForEditing(tx, other.client_id)
      await apps.setSeller(tx, other.client_id, next.seller_id)
      begun.resolve()
      await untilBlocked(tx, db)
    })
    const [settled] = await late
    assert.ok(settled.status === 'rejected', JSON.stringify(settled))
    assert.deepEqual([settled.reason.code, settled.reason.status], ['not_found', 404])
    assert.deepEqual(await payments.refundsOf(db, charge.id), [])
    assert.equal((await payments.findDisputeOf(db, { ...dispute, app_id: null }))?.evidence, null)
  })
}
