import * as identity from '#domain/identity'
import { resetUnverifiedAccount } from '#flows/account-access'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import type { Db } from '#platform/db'
import { mintId, type UserId } from '#platform/ids'

/** The outcome of accepting an invitation to staff. */
export type JoinedStaff =
  /** `is_new`: they set the password of a new account, and are not signed in yet. */
  | { outcome: 'joined'; user_id: UserId; is_new: boolean }
  /** The email has an account whose owner must be signed in. */
  | { outcome: 'sign_in' }
  /** The role is not an admin's, and they are the last admin: nothing changed. */
  | { outcome: 'last_admin' }
  | { outcome: 'expired' }

/**
 * Accepts an invitation to staff: its account gets the role. Where the email has no verified
 * account, the link proves the mailbox and `password` creates one; otherwise the account's owner
 * must be signed in, because the link alone does not prove that.
 */
export async function joinStaff(
  { db, clock, random }: World,
  facts: {
    token: string
    signed_in: UserId | undefined
    password: string | undefined
    origin: Origin
  },
): Promise<JoinedStaff> {
  const { token, signed_in, password, origin } = facts
  const chosen = password === undefined ? undefined : await identity.hashPassword(password)
  const now = clock.now()
  return await db.tx(async (tx) => {
    const invitation = await identity.peekStaffInvitation(tx, now, token)
    if (!invitation) return { outcome: 'expired' }
    const user = await identity.findByEmail(tx, invitation.email_normalized)
    if (user?.locked_at) return { outcome: 'expired' }
    const is_new = !user?.email_verified_at
    if (is_new ? !chosen : user.id !== signed_in) return { outcome: 'sign_in' }
    const { id: invitation_id, role, invited_by } = invitation
    if (user && role !== 'admin' && (await isLastAdmin(tx, user.id))) {
      return { outcome: 'last_admin' }
    }
    if (!(await identity.endStaffInvitation(tx, invitation_id))) return { outcome: 'expired' }
    const user_id = is_new
      ? await openAccount(tx, now, { id: mintId(random, 'usr'), invitation, password: chosen! })
      : user.id
    const before = user?.staff_role ?? null
    await identity.setStaffRole(tx, user_id, role)
    const through = invited_by === null ? 'command' : 'page'
    await audit(tx, now, {
      actor: accountActor(user_id, origin),
      action: before === null ? 'staff.added' : 'staff.role_changed',
      subject: user_id,
      detail: { role, before, through, invited_by, invitation_id },
    })
    return { outcome: 'joined', user_id, is_new }
  })
}

/** Whether this is the only admin who can sign in; concurrent changes of admins wait. */
async function isLastAdmin(tx: Db, user_id: UserId): Promise<boolean> {
  const admins = await identity.lockAdmins(tx)
  return admins.length === 1 && admins[0] === user_id
}

/** A verified account with this password; what an unverified one had is removed. */
async function openAccount(
  tx: Db,
  now: Date,
  facts: { id: UserId; invitation: identity.StaffInvitation; password: string },
): Promise<UserId> {
  const { email, email_normalized } = facts.invitation
  const { user_id } = await identity.findOrAddUser(tx, now, {
    id: facts.id,
    email,
    email_normalized,
    created_via: 'signup',
  })
  await resetUnverifiedAccount(tx, now, user_id)
  await identity.proveMailbox(tx, now, user_id)
  await identity.setPassword(tx, now, { user_id, password_hash: facts.password })
  return user_id
}
