import type { Db } from '#platform/db'
import type { StaffInvitationId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { StaffRole } from './staff-role.ts'

/** A member of staff as the list of staff shows them. */
export interface StaffMember {
  id: UserId
  email: string
  staff_role: StaffRole
  locked_at: Date | null
  has_factor: boolean
  /** Null if they have never signed in. */
  signed_in_at: Date | null
}

const COLUMNS = sql`u.id, u.email, u.staff_role, u.locked_at,
  exists (select 1 from authenticator_apps a
    where a.user_id = u.id and a.confirmed_at is not null)
    or exists (select 1 from passkeys p where p.user_id = u.id) as has_factor,
  (select l.at from audit_log l where l.subject = u.id and l.action = 'account.signed_in'
    order by l.at desc limit 1) as signed_in_at`

/** A page of the members of staff, by email. */
export async function listStaff(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<StaffMember[]> {
  return await db.rows<StaffMember>(sql`select ${COLUMNS} from users u
    where u.staff_role is not null order by u.email_normalized limit ${limit} offset ${offset}`)
}

/** A member of staff. */
export async function findStaff(db: Db, user_id: UserId): Promise<StaffMember | undefined> {
  return await db.maybe<StaffMember>(sql`select ${COLUMNS} from users u
    where u.staff_role is not null and u.id = ${user_id}`)
}

/** The admins who can sign in, locked so that no two of them are removed at once. */
export async function lockAdmins(db: Db): Promise<UserId[]> {
  const admins = await db.rows<{ id: UserId }>(sql`select id from users
    where staff_role = 'admin' and locked_at is null order by id for update`)
  return admins.map(({ id }) => id)
}

/** An invitation to staff as the list of staff shows it. */
export interface ListedInvitation {
  id: StaffInvitationId
  email: string
  role: StaffRole
  /** The inviter's email; null for an invitation by command. */
  inviter: string | null
  expires_at: Date
}

/** A page of the pending invitations, by email. */
export async function listStaffInvitations(
  db: Db,
  now: Date,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedInvitation[]> {
  return await db.rows<ListedInvitation>(sql`select i.id, i.email, i.role, i.expires_at,
      u.email as inviter
    from staff_invitations i left join users u on u.id = i.invited_by
    where i.expires_at > ${now} order by i.email_normalized limit ${limit} offset ${offset}`)
}
