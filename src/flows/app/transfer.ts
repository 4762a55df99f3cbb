import * as apps from '#domain/apps'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { endSellerAccess, lockOwnApp } from '#flows/app-access'
import { lockMember } from '#flows/member-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'
import { type AppId, mintId, type SellerId, type TransferId } from '#platform/ids'

/** How long an offer to transfer an app is valid, in days. */
export const TRANSFER_DAYS = 14

/** Offers an app to the owner of another seller (decision 100). */
export async function offerTransfer(
  world: World,
  actor: ActorOf<'seller'>,
  offer: { app_id: AppId; email: string; email_normalized: string; reason: string },
): Promise<'offered' | 'is_offered' | 'is_own' | 'payouts_blocked'> {
  const { db, clock, random } = world
  const now = clock.now()
  const { app_id, email, email_normalized, reason } = offer
  return await db.tx(async (tx) => {
    const { seller_id: from_seller } = await lockOwnApp(tx, actor, app_id)
    const member = { seller_id: from_seller, user_id: actor.user_id }
    await lockMember(tx, member, 'transfer_apps')
    const own = { seller_id: from_seller, email_normalized }
    if (await sellers.isMemberByEmail(tx, own)) return 'is_own'
    if (await payouts.areBlocked(tx, from_seller)) return 'payouts_blocked'
    const id = mintId(random, 'trf')
    const added = await apps.addTransfer(tx, now, {
      ...offer,
      id,
      from_seller,
      requested_by: actor.user_id,
      expires_at: addDays(now, TRANSFER_DAYS),
    })
    if (!added) return 'is_offered'
    const detail = { email, reason }
    await audit(tx, now, { actor, action: 'app.transfer_offered', subject: app_id, detail })
    await queueFreshEmail(tx, now, world, { kind: 'app_transfer_offered', subject_id: id })
    return 'offered'
  })
}

/** Withdraws the open offer of an app. False if there is none by the actor's seller. */
export async function withdrawTransfer(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  app_id: AppId,
): Promise<boolean> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const found = await apps.openTransferOf(tx, now, app_id)
    const transfer = found && (await apps.lockTransfer(tx, now, found.id))
    if (!transfer) return false
    const { id, from_seller } = transfer
    if (actor.seller_id !== undefined && actor.seller_id !== from_seller) return false
    const decision = { id, outcome: 'withdrawn', to_seller: null } as const
    await apps.decideTransfer(tx, now, { ...decision, decided_by: actor.user_id })
    await audit(tx, now, { actor, action: 'app.transfer_withdrawn', subject: app_id })
    return true
  })
}

/** The account that answers an offer: the one with the email that it was sent to. */
interface Recipient {
  id: TransferId
  email_normalized: string
}

/** Declines an offer. False if it is not open, or was made to another account. */
export async function declineTransfer(
  world: World,
  actor: ActorOf<'seller'>,
  { id, email_normalized }: Recipient,
): Promise<boolean> {
  const { db, clock } = world
  const now = clock.now()
  return await db.tx(async (tx) => {
    const transfer = await apps.lockTransfer(tx, now, id)
    if (transfer?.email_normalized !== email_normalized) return false
    const decision = { id, outcome: 'declined', to_seller: null } as const
    await apps.decideTransfer(tx, now, { ...decision, decided_by: actor.user_id })
    const { app_id: subject, from_seller: seller_id } = transfer
    const former = { ...actor, seller_id }
    await audit(tx, now, { actor: former, action: 'app.transfer_declined', subject })
    await emailDecision(world, tx, now, { id, to: 'former' })
    return true
  })
}

/** The outcome of accepting an offer; the app's slug once it is transferred. */
export type TransferAccepted =
  | { slug: string }
  | 'not_open'
  | 'not_owner'
  | 'owes_terms'
  /** The app or one of the sellers is suspended. */
  | 'suspended'
  /** The former seller's payouts are paused, or it owes money. */
  | 'payouts_blocked'

/**
 * Accepts an offer for a seller that the account owns. What was sold stays with the former seller,
 * as each invoice names who sold it; what is charged from now on is sold by the new one. Everything
 * by which the former seller reaches the app ends: its client secret, the tokens that its server
 * got, previews of its members, the approval by staff (decision 100).
 */
export async function acceptTransfer(
  world: World,
  actor: ActorOf<'seller'>,
  { id, email_normalized, seller_id }: Recipient & { seller_id: SellerId },
): Promise<TransferAccepted> {
  const { db, clock, seller_terms_version } = world
  const now = clock.now()
  return await db.tx(async (tx) => {
    const transfer = await apps.lockTransfer(tx, now, id)
    if (transfer?.email_normalized !== email_normalized) return 'not_open'
    const { app_id, from_seller, reason } = transfer
    await apps.lockForEditing(tx, app_id)
    const { slug, seller_id: present, is_suspended } = await apps.lock(tx, app_id)
    if (present !== from_seller || present === seller_id) return 'not_open'
    const member = await sellers.memberOf(tx, { seller_id, user_id: actor.user_id })
    if (!member || !sellers.isAllowed(member.role, 'transfer_apps')) return 'not_owner'
    const receiver = await sellers.lockSeller(tx, seller_id)
    if (is_suspended || receiver?.suspended_at) return 'suspended'
    // Later sales would be paid out, though what was sold before may be owed back.
    if (await payouts.areBlocked(tx, from_seller)) return 'payouts_blocked'
    const terms = await sellers.acceptedTerms(tx, seller_id)
    if (terms?.version !== seller_terms_version) return 'owes_terms'

    await apps.setSeller(tx, app_id, seller_id)
    await endSellerAccess(tx, now, { app_id, from_seller })
    await apps.withdrawApproval(tx, app_id)
    const decision = { id, outcome: 'accepted', to_seller: seller_id } as const
    await apps.decideTransfer(tx, now, { ...decision, decided_by: actor.user_id })
    const detail = { from_seller, to_seller: seller_id, reason }
    for (const each of [from_seller, seller_id]) {
      const by = { ...actor, seller_id: each }
      await audit(tx, now, { actor: by, action: 'app.transferred', subject: app_id, detail })
    }
    await emailDecision(world, tx, now, { id, to: 'former' })
    await emailDecision(world, tx, now, { id, to: 'new' })
    return { slug }
  })
}

async function emailDecision(
  world: World,
  tx: Db,
  now: Date,
  { id, to }: { id: TransferId; to: 'former' | 'new' },
): Promise<void> {
  const email = { kind: 'app_transfer_decided', subject_id: id, facts: { to } } as const
  await queueFreshEmail(tx, now, world, email)
}
