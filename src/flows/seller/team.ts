import * as apps from '#domain/apps'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import { lockMember } from '#flows/member-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'
import { type MemberInvitationId, mintId, type SellerId, type UserId } from '#platform/ids'

/** How long an invitation to a team is valid, in days. */
export const INVITATION_DAYS = 7

/** The email to invite to a seller's team, and the role. */
export interface InvitedMember {
  seller_id: SellerId
  email: string
  email_normalized: string
  role: sellers.InvitedRole
}

/** Invites the owner of an email to a seller's team. */
export async function inviteMember(
  world: World,
  actor: ActorOf<'seller'>,
  invited: InvitedMember,
): Promise<'invited' | 'is_member'> {
  const { db, clock, random } = world
  const now = clock.now()
  const { seller_id, email, email_normalized, role } = invited
  return await db.tx(async (tx) => {
    await lockMember(tx, { seller_id, user_id: actor.user_id }, 'team')
    if (await sellers.isMemberByEmail(tx, { seller_id, email_normalized })) return 'is_member'
    const id = mintId(random, 'mbi')
    await sellers.addInvitation(tx, {
      ...invited,
      id,
      invited_by: actor.user_id,
      created_at: now,
      expires_at: addDays(now, INVITATION_DAYS),
    })
    await queueFreshEmail(tx, now, world, { kind: 'member_invitation', subject_id: id })
    const detail = { email, role }
    await audit(tx, now, { actor, action: 'seller.member_invited', subject: seller_id, detail })
    return 'invited'
  })
}

/** Withdraws a seller's invitation. False if it is not pending. */
export async function withdrawMemberInvitation(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { seller_id, id }: { seller_id: SellerId; id: MemberInvitationId },
): Promise<boolean> {
  return await db.tx(async (tx) => {
    await lockMember(tx, { seller_id, user_id: actor.user_id }, 'team')
    if (!(await sellers.endInvitation(tx, { id, seller_id }))) return false
    const action = 'seller.invitation_withdrawn'
    await audit(tx, clock.now(), { actor, action, subject: seller_id, detail: { id } })
    return true
  })
}

/**
 * Accepts an invitation for a signed-in account whose verified email it is addressed to. Undefined
 * for any other account, and if the invitation is not pending.
 */
export async function acceptInvitation(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  facts: { id: MemberInvitationId; email_normalized: string },
): Promise<SellerId | undefined> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const invitation = await sellers.findInvitation(tx, now, facts.id)
    if (invitation?.email_normalized !== facts.email_normalized) return undefined
    if (!(await sellers.endInvitation(tx, invitation))) return undefined
    const { seller_id, role } = invitation
    const { user_id } = actor
    // A member whose email became the invited one since keeps the role that they have.
    if (!(await sellers.addMember(tx, now, { seller_id, user_id, role }))) return seller_id
    const detail = { user_id, role }
    const member = { ...actor, seller_id }
    const action = 'seller.member_joined'
    await audit(tx, now, { actor: member, action, subject: seller_id, detail })
    return seller_id
  })
}

/** The outcome of changing a member. The owner changes only when ownership is transferred. */
export type MemberChanged = 'changed' | 'not_found' | 'is_owner'

/** Changes the role of a member; the owner must transfer ownership instead. */
export async function changeMemberRole(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { role, ...member }: { seller_id: SellerId; user_id: UserId; role: sellers.InvitedRole },
): Promise<MemberChanged> {
  return await db.tx(async (tx) => {
    await lockBoth(tx, actor, member)
    const before = await sellers.memberOf(tx, member)
    if (!before) return 'not_found'
    if (before.role === 'owner') return 'is_owner'
    await sellers.setRole(tx, { ...member, role })
    const detail = { user_id: member.user_id, before: before.role, role }
    const action = 'seller.member_changed'
    await audit(tx, clock.now(), { actor, action, subject: member.seller_id, detail })
    return 'changed'
  })
}

/**
 * Makes another member the owner; the owner becomes an admin, and the apps that they offered to
 * other sellers are no longer offered. Only the owner may.
 */
export async function transferOwnership(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { seller_id, user_id }: { seller_id: SellerId; user_id: UserId },
): Promise<MemberChanged> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    await apps.lockTransfersOf(tx, now, seller_id)
    await lockMemberships(tx, [actor.user_id, user_id])
    const owner = await sellers.memberOf(tx, { seller_id, user_id: actor.user_id })
    const member = await sellers.memberOf(tx, { seller_id, user_id })
    if (owner?.role !== 'owner' || !member) return 'not_found'
    if (member.role === 'owner') return 'is_owner'
    await sellers.setRole(tx, { seller_id, user_id: actor.user_id, role: 'admin' })
    await sellers.setRole(tx, { seller_id, user_id, role: 'owner' })
    const detail = { before: actor.user_id, after: user_id }
    const action = 'seller.ownership_transferred'
    await audit(tx, now, { actor, action, subject: seller_id, detail })
    const offers = { from_seller: seller_id, decided_by: actor.user_id }
    for (const app_id of await apps.withdrawTransfersOf(tx, now, offers)) {
      await audit(tx, now, { actor, action: 'app.transfer_withdrawn', subject: app_id })
    }
    return 'changed'
  })
}

/** Removes a member, or lets one leave; their previews of the seller's apps end. */
export async function removeMember(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  member: { seller_id: SellerId; user_id: UserId },
): Promise<MemberChanged> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const isLeaving = actor.user_id === member.user_id
    if (isLeaving) await sellers.lockMemberships(tx, member.user_id)
    else await lockBoth(tx, actor, member)
    const before = await sellers.memberOf(tx, member)
    if (!before) return 'not_found'
    if (before.role === 'owner') return 'is_owner'
    await sellers.removeMember(tx, member)
    await endPreviews(tx, now, member)
    const detail = { user_id: member.user_id, role: before.role }
    const action = 'seller.member_removed'
    await audit(tx, now, { actor, action, subject: member.seller_id, detail })
    return 'changed'
  })
}

/** Locks a member and who changes them, who needs the permission also for their own role. */
async function lockBoth(
  tx: Db,
  { user_id }: ActorOf<'seller'>,
  member: { seller_id: SellerId; user_id: UserId },
): Promise<void> {
  await lockMemberships(tx, [user_id, member.user_id])
  await lockMember(tx, { ...member, user_id }, 'team')
}

/** In one order, so that two changes do not wait for each other. */
async function lockMemberships(tx: Db, user_ids: UserId[]): Promise<void> {
  for (const user_id of user_ids.toSorted()) await sellers.lockMemberships(tx, user_id)
}

async function endPreviews(
  tx: Db,
  now: Date,
  { seller_id, user_id }: { seller_id: SellerId; user_id: UserId },
): Promise<void> {
  for (const app_id of await apps.idsOf(tx, seller_id)) {
    await licensing.endPreview(tx, now, { app_id, user_id })
  }
}
