import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'
import { mintId, type StaffInvitationId } from '#platform/ids'
import type { Random } from '#platform/random'
import { lockedAdmins } from './staff.ts'

/** How long an invitation is valid, in hours. */
export const INVITATION_HOURS = 24

/** The email to invite, and the role. */
export interface Invited {
  email: string
  email_normalized: string
  role: identity.StaffRole
}

/** The outcome of an invitation. The owner of a locked account could not accept it. */
export type InvitationSent =
  | { outcome: 'invited'; invitation: identity.StaffInvitation }
  | { outcome: 'locked' }

/** Invites the owner of an email to staff by command. The caller creates the link. */
export async function inviteByCommand(
  { db, clock, random }: Pick<World, 'db' | 'clock' | 'random'>,
  actor: ActorOf<'command'>,
  invited: Invited,
): Promise<InvitationSent> {
  return await db.tx((tx) => invite(tx, clock.now(), random, actor, invited))
}

/** Invites the owner of an email to staff as an admin, and sends them a link. */
export async function inviteByEmail(
  world: World,
  actor: ActorOf<'staff'>,
  invited: Invited,
): Promise<InvitationSent> {
  const now = world.clock.now()
  return await world.db.tx(async (tx) => {
    await lockedAdmins(tx, actor)
    const sent = await invite(tx, now, world.random, actor, invited)
    if (sent.outcome === 'invited') {
      const { id: subject_id } = sent.invitation
      await queueFreshEmail(tx, now, world, { kind: 'staff_invitation', subject_id })
    }
    return sent
  })
}

/** Stores an invitation; an earlier one to the same email ends. */
async function invite(
  tx: Db,
  now: Date,
  random: Random,
  actor: ActorOf<'staff' | 'command'>,
  invited: Invited,
): Promise<InvitationSent> {
  const user = await identity.findByEmail(tx, invited.email_normalized)
  if (user?.locked_at) return { outcome: 'locked' }
  const isStaff = actor.kind === 'staff'
  const invitation = {
    ...invited,
    id: mintId(random, 'sti'),
    invited_by: isStaff ? actor.user_id : null,
    created_at: now,
    expires_at: addSeconds(now, INVITATION_HOURS * 3600),
  }
  await identity.addStaffInvitation(tx, invitation)
  // The log is kept for good, so it names an account and no address.
  const detail = {
    role: invited.role,
    user_id: user?.id ?? null,
    through: isStaff ? 'page' : 'command',
  }
  await audit(tx, now, { actor, action: 'staff.invited', subject: invitation.id, detail })
  return { outcome: 'invited', invitation }
}

/** Withdraws a pending invitation, with its links. False if it is not pending. */
export async function withdrawInvitation(
  { db, clock }: World,
  actor: ActorOf<'staff'>,
  id: StaffInvitationId,
): Promise<boolean> {
  return await db.tx(async (tx) => {
    await lockedAdmins(tx, actor)
    if (!(await identity.endStaffInvitation(tx, id))) return false
    await audit(tx, clock.now(), { actor, action: 'staff.invitation_withdrawn', subject: id })
    return true
  })
}
