import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import type * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { offerTransfer } from '#flows/app'
import { saveAddresses } from '#flows/integration'
import { inviteMember } from '#flows/seller'
import type { ActorOf } from '#platform/audit'
import { type InvoiceId, mintId, type SellerId, type UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { newEmail, signUp } from './account.ts'
import type { Agent } from './agent.ts'
import { addApp, type OtherApp } from './apps.ts'
import { addCode } from './discounts.ts'
import { disputeCharge } from './disputes.ts'
import { BANKS, enterBankAccount, HOMES } from './payees.ts'
import type { TestService } from './service.ts'
import { subscribe } from './subscriber.ts'

/** A seller with two members, and one of everything that a seller has. */
export interface SellerSide {
  seller_id: SellerId
  /** The browsers of its members by role. */
  members: Map<sellers.MemberRole, Agent>
  /** Values of the parameters in paths and of the fields in forms, by name. */
  ids: Record<string, string>
  /** Texts that only the seller's pages show. */
  secrets: string[]
}

/** Adds a seller with an owner and a member of another role, an app, a sale and what follows it. */
export async function addSellerSide(
  service: TestService,
  facts: { slug: string; role: sellers.MemberRole },
): Promise<SellerSide> {
  const { world, clock } = service
  const { db, random } = world
  const { slug, role } = facts
  const seller_id = mintId(random, 'sel')
  const place = { address: '1 Main Street', city: 'Austin', state: 'TX', zip: '78701' }
  await sellers.addSeller(db, clock.now(), { id: seller_id, legal_name: `${slug} LLC`, ...place })
  const version = world.seller_terms_version
  await sellers.acceptTerms(db, clock.now(), { seller_id, version })
  const owner = await addMember(service, seller_id, 'owner')
  const other = await addMember(service, seller_id, role)
  const app = await addApp(service, { slug, seller_id, name: slug })
  await enterBankAccount(owner.agent, HOMES.seller, BANKS.works)
  // This week's payout is decided, so no job changes the row while a test compares it.
  await db.run(sql`update payout_accounts set weekly_at = ${clock.now()}`)
  const paid = { slug, app, seller_id, user_id: owner.user_id }
  const { ids, secrets } = await sellAndFollow(service, paid)
  const members = new Map([['owner' as const, owner.agent] as const, [role, other.agent] as const])
  return {
    seller_id,
    members,
    ids: { ...ids, slug, seller_id, user_id: other.user_id, client_id: app.client_id },
    secrets: [...secrets, owner.email, other.email, app.client_secret],
  }
}

async function addMember(service: TestService, seller_id: SellerId, role: sellers.MemberRole) {
  const { db, clock } = service.world
  const { email, agent } = await signUp(service)
  const { id: user_id } = (await identity.findByEmail(db, email))!
  await sellers.addMember(db, clock.now(), { seller_id, user_id, role })
  return { email, agent, user_id }
}

interface PaidSide {
  slug: string
  app: OtherApp
  seller_id: SellerId
  user_id: UserId
}

/** Sells, and writes one of everything else that has an ID. */
async function sellAndFollow(service: TestService, side: PaidSide) {
  const { world } = service
  const { app, seller_id, user_id } = side
  const actor = { kind: 'seller', user_id, request_id: mintId(world.random, 'req') } as const
  const { email, license_id, license_key } = await subscribe(service, { app })
  const sold = await world.db.one<Sold>(sql`select i.id as invoice_id, i.number, i.cart_id,
      c.id as charge_id, c.processor_charge_id
    from invoices i join charges c on c.invoice_id = i.id where i.license_id = ${license_id}`)
  const { invoice_id, cart_id, number, charge_id, processor_charge_id } = sold
  const dispute = await disputeCharge(service, { id: charge_id, processor_charge_id })
  const discount = await addCode(service, app.client_id)
  const invited = newEmail()
  const role = 'support' as const
  await inviteMember(world, actor, { seller_id, email: invited, email_normalized: invited, role })
  const offered = newEmail()
  const offer = { email: offered, email_normalized: offered, reason: 'We focus on another app.' }
  await offerTransfer(world, actor, { ...offer, app_id: app.client_id })
  const written = await writeRows(service, side, actor)
  const { client_id, price_id, product_id } = app
  const ids = { invoice_id, license_id, dispute_id: dispute.id, discount_id: discount.id, cart_id }
  return {
    ids: { ...ids, ...written, client_id, price_id, product_id },
    secrets: [
      email,
      license_key,
      license_id,
      invoice_id,
      dispute.id,
      discount.code,
      invited,
    ].concat(offered, billing.invoiceNumber(number)),
  }
}

interface Sold {
  invoice_id: InvoiceId
  number: number
  cart_id: string
  charge_id: payments.Charge['id']
  processor_charge_id: payments.Charge['processor_charge_id']
}

/** Writes a change, and the rows that take days or files to come about otherwise. */
async function writeRows(
  { world, clock }: TestService,
  { slug, app, seller_id, user_id }: PaidSide,
  actor: ActorOf<'seller'>,
) {
  const { db, random } = world
  const found = await apps.get(db, app.client_id)
  const changes = { oauth_login_url: `https://${slug}.example/enter` }
  const saved = await saveAddresses(world, actor, { app: found, changes })
  if ('faults' in saved) throw new Error(JSON.stringify(saved.faults))
  const now = clock.now()
  const [payout_id, task_id, image_id] = [
    mintId(random, 'po'),
    mintId(random, 'task'),
    mintId(random, 'img'),
  ]
  await db.run(sql`insert into payouts (id, owner, account, amount, cause, status, created_at)
    values (${payout_id}, ${seller_id}, 'seller_payable', 1, 'request', 'paid', ${now})`)
  const request = JSON.stringify({ slug, to: now.toISOString() })
  await db.run(sql`insert into tasks
      (id, kind, user_id, app_id, request, status, result, created_at, updated_at)
    values (${task_id}, 'clock_advance', ${user_id}, ${app.client_id}, ${request}, 'failed',
      '{"message":"It failed."}', ${now}, ${now})`)
  const picture = { kind: 'screenshot', alt: '', width: 10, height: 10 } as const
  await apps.addImage(db, now, { ...picture, id: image_id, app_id: app.client_id })
  const { change_id, invitation_id, transfer_id } = await db.one<Record<string, string>>(sql`select
    (select id from app_changes where app_id = ${app.client_id}) as change_id,
    (select id from member_invitations where seller_id = ${seller_id}) as invitation_id,
    (select id from app_transfers where app_id = ${app.client_id}) as transfer_id`)
  return {
    ...{ payout_id, task_id, image_id },
    ...{ change_id: change_id!, invitation_id: invitation_id!, transfer_id: transfer_id! },
  }
}
