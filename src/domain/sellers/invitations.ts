import type { Db } from '#platform/db'
import type { MemberInvitationId, SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { InvitedRole } from './role.ts'

/** A pending invitation to a seller's team. */
export interface MemberInvitation {
  id: MemberInvitationId
  seller_id: SellerId
  legal_name: string
  email: string
  email_normalized: string
  role: InvitedRole
  /** The email of the inviting member. */
  inviter: string
  created_at: Date
  expires_at: Date
}

const INVITATION = sql`select i.id, i.seller_id, s.legal_name, i.email, i.email_normalized, i.role,
    u.email as inviter, i.created_at, i.expires_at
  from member_invitations i join sellers s on s.id = i.seller_id
    join users u on u.id = i.invited_by`

/** Stores an invitation. An earlier one of the seller to the same email is replaced. */
export async function addInvitation(
  db: Db,
  invitation: Omit<MemberInvitation, 'legal_name' | 'inviter'> & { invited_by: UserId },
): Promise<void> {
  const { id, seller_id, email, email_normalized, role, invited_by } = invitation
  await db.run(sql`insert into member_invitations
    (id, seller_id, email, email_normalized, role, invited_by, created_at, expires_at)
    values (${id}, ${seller_id}, ${email}, ${email_normalized}, ${role}, ${invited_by},
      ${invitation.created_at}, ${invitation.expires_at})
    on conflict (seller_id, email_normalized) do update set id = excluded.id,
      email = excluded.email, role = excluded.role, invited_by = excluded.invited_by,
      created_at = excluded.created_at, expires_at = excluded.expires_at`)
}

/** A seller's pending invitations, oldest first. */
export async function invitationsOf(
  db: Db,
  now: Date,
  seller_id: SellerId,
): Promise<MemberInvitation[]> {
  return await db.rows<MemberInvitation>(sql`${INVITATION}
    where i.seller_id = ${seller_id} and i.expires_at > ${now} order by i.created_at, i.id`)
}

/** The pending invitations to an email, oldest first. */
export async function invitationsTo(
  db: Db,
  now: Date,
  email_normalized: string,
): Promise<MemberInvitation[]> {
  return await db.rows<MemberInvitation>(sql`${INVITATION}
    where i.email_normalized = ${email_normalized} and i.expires_at > ${now}
    order by i.created_at, i.id`)
}

/** A pending invitation. */
export async function findInvitation(
  db: Db,
  now: Date,
  id: MemberInvitationId,
): Promise<MemberInvitation | undefined> {
  return await db.maybe<MemberInvitation>(
    sql`${INVITATION} where i.id = ${id} and i.expires_at > ${now}`,
  )
}

/** Ends an invitation, answered or withdrawn; of concurrent calls only one returns true. */
export async function endInvitation(
  db: Db,
  { id, seller_id }: Pick<MemberInvitation, 'id' | 'seller_id'>,
): Promise<boolean> {
  const ended = await db.run(sql`delete from member_invitations
    where id = ${id} and seller_id = ${seller_id}`)
  return ended === 1
}

/** Locks the invitations that a member sent: those that are being accepted end first. */
export async function lockInvitationsBy(tx: Db, user_id: UserId): Promise<void> {
  await tx.rows(sql`select id from member_invitations
    where invited_by = ${user_id} order by id for update`)
}

/** Ends the invitations that a member sent, after the member loses the permission to invite. */
export async function endInvitationsBy(
  db: Db,
  { seller_id, user_id }: { seller_id: SellerId; user_id: UserId },
): Promise<void> {
  await db.run(sql`delete from member_invitations
    where seller_id = ${seller_id} and invited_by = ${user_id}`)
}
