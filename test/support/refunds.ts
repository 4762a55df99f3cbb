import type * as billing from '#domain/billing'
import type * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { refundCharge } from '#flows/refund'
import type { ActorOf } from '#platform/audit'
import type { InvoiceId, LicenseId, UserId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { basic, buyer, licenseKey, type PurchaseFacts, purchase } from './purchase.ts'
import type { TestService } from './service.ts'

/** The IDs of a purchase. */
export interface Bought {
  email: string
  user_id: UserId
  license_id: LicenseId
  license_key: string
  invoice_id: InvoiceId
  charge: payments.Charge
}

let names = 0

/** Buys with a card; its automatic disputes and refunds are not handled yet. */
export async function buy(
  service: TestService,
  facts: Partial<PurchaseFacts> = {},
): Promise<Bought> {
  const email = facts.email ?? `refund-${names++}@example.com`
  const page = await purchase(service, buyer(service), { email, ...facts })
  const { db } = service.world
  const { license_id, user_id, invoice_id } = await db.one<
    Pick<Bought, 'license_id' | 'user_id' | 'invoice_id'>
  >(sql`
    select i.license_id, i.user_id, i.id as invoice_id from invoices i
      join users u on u.id = i.user_id where u.email_normalized = ${email}
    order by i.number desc limit 1`)
  return {
    email,
    user_id,
    license_id,
    license_key: licenseKey(page),
    invoice_id,
    charge: (await payments.chargeOf(db, invoice_id))!,
  }
}

/** The cast's seller, as the actor of a flow. */
export async function sellerActor(service: TestService): Promise<ActorOf<'seller'>> {
  return { kind: 'seller', user_id: await userOf(service, 'seller'), request_id: 'req_test' }
}

/** The cast's operator, as the actor of a flow. */
export async function staffActor(service: TestService): Promise<ActorOf<'staff'>> {
  return { kind: 'staff', user_id: await userOf(service, 'operator'), request_id: 'req_test' }
}

async function userOf({ world, demo }: TestService, who: 'seller' | 'operator'): Promise<UserId> {
  const { id } = await world.db.one<{ id: UserId }>(
    sql`select id from users where email_normalized = ${demo[who].email}`,
  )
  return id
}

/** Refunds some cents of a purchase, or everything that is left. */
export async function refund(
  service: TestService,
  bought: Pick<Bought, 'invoice_id'>,
  amount?: number,
  as: 'seller' | 'operator' = 'seller',
) {
  const actor = await (as === 'seller' ? sellerActor : staffActor)(service)
  return await refundCharge(service.world, actor, {
    invoice_id: bought.invoice_id,
    reason: 'The buyer asked for it.',
    ...(amount === undefined ? {} : { amount: cents(amount) }),
  })
}

/** The stored refunds of a purchase. */
export async function refundsOf({ world }: TestService, { charge }: Bought) {
  return await payments.refundsOf(world.db, charge.id)
}

/** The result of validating a key as the seller's server. */
export async function stateOf(service: TestService, { license_key }: Bought) {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: basic(service),
    payload: { key: license_key },
  })
  return answer.json() as licensing.LicenseState
}

/** The total posted to each account by the events of a subject, as `seller_payable: -1090`. */
export async function postedTotals(
  { world }: TestService,
  subjects: string[],
): Promise<Record<string, number>> {
  const rows = await world.db.rows<{ account: string; amount: number }>(sql`
    select e.account, sum(e.amount)::bigint as amount from ledger_transactions t
      join ledger_entries e on e.transaction_id = t.id
    where t.subject = any(${subjects}) group by e.account having sum(e.amount) <> 0
    order by e.account`)
  return Object.fromEntries(rows.map(({ account, amount }) => [account, amount]))
}

/** Advances the clock by days and handles the processor's events. */
export async function advanceAndHandleEvents(service: TestService, days: number): Promise<void> {
  service.clock.pass(days * 86_400)
  await handleEvents(service.world)
}

/** The subscription behind a license, ended or not. */
export async function subscriptionOf({ world }: TestService, license_id: LicenseId) {
  return await world.db.maybe<billing.Subscription>(
    sql`select * from subscriptions where license_id = ${license_id}`,
  )
}
