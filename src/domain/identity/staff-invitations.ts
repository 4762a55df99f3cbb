import type { Db } from '#platform/db'
import type { StaffInvitationId, UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import type { StaffRole } from './staff-role.ts'

/** A pending invitation to staff. */
export interface StaffInvitation {
  id: StaffInvitationId
  email: string
  email_normalized: string
  role: StaffRole
  /** Null for an invitation by the command. */
  invited_by: UserId | null
  created_at: Date
  expires_at: Date
}

const COLUMNS = sql`id, email, email_normalized, role, invited_by, created_at, expires_at`

/** Stores an invitation. An earlier one to the same email ends, with its links. */
export async function addStaffInvitation(db: Db, invitation: StaffInvitation): Promise<void> {
  const { id, email, email_normalized, role, invited_by, created_at, expires_at } = invitation
  await db.run(sql`insert into staff_invitations (${COLUMNS})
    values (${id}, ${email}, ${email_normalized}, ${role}, ${invited_by}, ${created_at},
      ${expires_at})
    on conflict (email_normalized) do update set id = excluded.id, email = excluded.email,
      role = excluded.role, invited_by = excluded.invited_by, created_at = excluded.created_at,
      expires_at = excluded.expires_at`)
}

/** Stores a link of an invitation under a secret of 256 random bits, as a digest. */
export async function addStaffLink(
  db: Db,
  now: Date,
  facts: { token: string; invitation: StaffInvitation },
): Promise<void> {
  const { token, invitation } = facts
  await db.run(sql`insert into account_links (token_hash, purpose, about, created_at, expires_at)
    values (${sha256(token)}, 'staff', ${invitation.id}, ${now}, ${invitation.expires_at})`)
}

/** The invitation of a link, while it is pending. */
export async function peekStaffInvitation(
  db: Db,
  now: Date,
  token: string,
): Promise<StaffInvitation | undefined> {
  return await db.maybe<StaffInvitation>(sql`select i.id, i.email, i.email_normalized, i.role,
      i.invited_by, i.created_at, i.expires_at
    from account_links l join staff_invitations i on i.id = l.about
    where l.token_hash = ${sha256(token)} and l.purpose = 'staff' and i.expires_at > ${now}`)
}

/** An invitation by its id, while it is pending. */
export async function findStaffInvitation(
  db: Db,
  now: Date,
  id: StaffInvitationId,
): Promise<StaffInvitation | undefined> {
  return await db.maybe<StaffInvitation>(sql`select ${COLUMNS} from staff_invitations
    where id = ${id} and expires_at > ${now}`)
}

/** Ends an invitation, answered or withdrawn; of concurrent calls only one returns true. */
export async function endStaffInvitation(db: Db, id: StaffInvitationId): Promise<boolean> {
  return (await db.run(sql`delete from staff_invitations where id = ${id}`)) === 1
}
