import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { addSeconds } from '#platform/calendar'
import { mintId } from '#platform/ids'

/** How long an invitation is valid, in hours. */
export const INVITATION_HOURS = 24

/** What an invitation needs of the world: a command has no more. */
type InvitingWorld = Pick<World, 'db' | 'clock' | 'random'>

/** The outcome of an invitation. The owner of a locked account could not accept it. */
export type InvitationSent =
  | { outcome: 'invited'; invitation: identity.StaffInvitation }
  | { outcome: 'locked' }

/**
 * Invites the owner of an email to staff, by the command or by a member of staff; an earlier
 * invitation ends. It says nothing about an account: the link's page does.
 */
export async function inviteStaff(
  { db, clock, random }: InvitingWorld,
  actor: ActorOf<'staff' | 'command'>,
  facts: { email: string; email_normalized: string; role: identity.StaffRole },
): Promise<InvitationSent> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const user = await identity.findByEmail(tx, facts.email_normalized)
    if (user?.locked_at) return { outcome: 'locked' }
    const invitation = {
      ...facts,
      id: mintId(random, 'sti'),
      invited_by: actor.kind === 'staff' ? actor.user_id : null,
      created_at: now,
      expires_at: addSeconds(now, INVITATION_HOURS * 3600),
    }
    await identity.addStaffInvitation(tx, invitation)
    const { role, email } = facts
    const through = actor.kind === 'staff' ? 'page' : 'command'
    const detail = { role, email, through }
    await audit(tx, now, { actor, action: 'staff.invited', subject: invitation.id, detail })
    return { outcome: 'invited', invitation }
  })
}
