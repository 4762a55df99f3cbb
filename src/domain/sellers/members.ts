import type { Db } from '#platform/db'
import type { SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { endInvitationsBy } from './invitations.ts'
import { isAllowed, type MemberRole, rolesWith, type SellerPermission } from './role.ts'
import type { SellerEmail } from './seller-email.ts'

/** The role of an account in a seller. */
export interface Membership {
  seller_id: SellerId
  user_id: UserId
  role: MemberRole
  /** The seller's legal name. */
  legal_name: string
  /**
   * Whether staff have suspended the seller, so that members and their agents cannot change
   * anything.
   */
  is_suspended: boolean
}

/** A member in the list of a seller's team. */
export interface Member {
  user_id: UserId
  email: string
  role: MemberRole
  created_at: Date
}

const MEMBERSHIP = sql`select m.seller_id, m.user_id, m.role, s.legal_name,
    s.suspended_at is not null as is_suspended
  from seller_members m join sellers s on s.id = m.seller_id`

/** Adds a member; false if the account is already a member. */
export async function addMember(
  db: Db,
  now: Date,
  member: Pick<Membership, 'seller_id' | 'user_id' | 'role'>,
): Promise<boolean> {
  const added = await db.run(sql`insert into seller_members (seller_id, user_id, role, created_at)
    values (${member.seller_id}, ${member.user_id}, ${member.role}, ${now})
    on conflict (seller_id, user_id) do nothing`)
  return added === 1
}

/** Lets one transaction at a time change an account's memberships. */
export async function lockMemberships(tx: Db, user_id: UserId): Promise<void> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${user_id}, 15))`)
}

/** The membership of an account in a seller. */
export async function memberOf(
  db: Db,
  { seller_id, user_id }: Pick<Membership, 'seller_id' | 'user_id'>,
): Promise<Membership | undefined> {
  return await db.maybe<Membership>(
    sql`${MEMBERSHIP} where m.seller_id = ${seller_id} and m.user_id = ${user_id}`,
  )
}

/** The owner's view of a seller, for a member of staff who is viewing its pages. */
export async function viewedBy(
  db: Db,
  { seller_id, user_id }: Pick<Membership, 'seller_id' | 'user_id'>,
): Promise<Membership | undefined> {
  const seller = await db.maybe<Pick<Membership, 'legal_name' | 'is_suspended'>>(sql`
    select legal_name, suspended_at is not null as is_suspended from sellers
    where id = ${seller_id}`)
  return seller && { seller_id, user_id, role: 'owner', ...seller }
}

/** Every membership of an account, oldest first. */
export async function membershipsOf(db: Db, user_id: UserId): Promise<Membership[]> {
  return await db.rows<Membership>(
    sql`${MEMBERSHIP} where m.user_id = ${user_id} order by m.created_at, m.seller_id`,
  )
}

/**
 * Whether a session belongs to a member of this seller and is not limited to one purchase. Members
 * preview their apps and are never charged for them.
 */
export async function isMember(
  db: Db,
  seller_id: SellerId,
  session: { user_id: UserId; app_id: string | null } | undefined,
): Promise<boolean> {
  if (!session || session.app_id !== null) return false
  return (await memberOf(db, { seller_id, user_id: session.user_id })) !== undefined
}

/** A seller's members, oldest first. */
export async function membersOf(db: Db, seller_id: SellerId): Promise<Member[]> {
  return await db.rows<Member>(sql`
    select m.user_id, u.email, m.role, m.created_at
    from seller_members m join users u on u.id = m.user_id
    where m.seller_id = ${seller_id} order by m.created_at, m.user_id`)
}

/** Whether the account of an email is a member of a seller. */
export async function isMemberByEmail(
  db: Db,
  { seller_id, email_normalized }: { seller_id: SellerId; email_normalized: string },
): Promise<boolean> {
  const { is_member } = await db.one<{ is_member: boolean }>(sql`select exists (
    select 1 from seller_members m join users u on u.id = m.user_id
    where m.seller_id = ${seller_id} and u.email_normalized = ${email_normalized}) as is_member`)
  return is_member
}

/** Changes a member's role. If the new role may not invite, the invitations that they sent end. */
export async function setRole(
  tx: Db,
  { seller_id, user_id, role }: Pick<Membership, 'seller_id' | 'user_id' | 'role'>,
): Promise<void> {
  await tx.run(sql`update seller_members set role = ${role}
    where seller_id = ${seller_id} and user_id = ${user_id}`)
  if (!isAllowed(role, 'team')) await endInvitationsBy(tx, { seller_id, user_id })
}

/** Removes a member, and the invitations that they sent. */
export async function removeMember(
  tx: Db,
  { seller_id, user_id }: Pick<Membership, 'seller_id' | 'user_id'>,
): Promise<void> {
  await tx.run(sql`delete from seller_members
    where seller_id = ${seller_id} and user_id = ${user_id}`)
  await endInvitationsBy(tx, { seller_id, user_id })
}

/**
 * The recipients of an email to a seller: members with the permission, except those who turned it
 * off.
 */
export async function recipientsOf(
  db: Db,
  seller_id: SellerId,
  { permission, email }: { permission: SellerPermission; email?: SellerEmail },
): Promise<string[]> {
  const roles = [...rolesWith(permission)]
  const members = await db.rows<{ email: string }>(sql`
    select u.email from seller_members m join users u on u.id = m.user_id
    where m.seller_id = ${seller_id} and m.role = any(${roles})
      and not coalesce(${email ?? null} = any(m.muted_emails), false)
    order by m.created_at, m.user_id`)
  return members.map((member) => member.email)
}

/** The emails that a member turned off. */
export async function mutedEmails(
  db: Db,
  { seller_id, user_id }: Pick<Membership, 'seller_id' | 'user_id'>,
): Promise<SellerEmail[]> {
  const member = await db.maybe<{ muted_emails: SellerEmail[] }>(sql`select muted_emails
    from seller_members where seller_id = ${seller_id} and user_id = ${user_id}`)
  return member?.muted_emails ?? []
}

/** Turns these emails off for a member and all others on. */
export async function muteEmails(
  db: Db,
  { seller_id, user_id }: Pick<Membership, 'seller_id' | 'user_id'>,
  muted: readonly SellerEmail[],
): Promise<void> {
  await db.run(sql`update seller_members set muted_emails = ${[...muted]}
    where seller_id = ${seller_id} and user_id = ${user_id}`)
}

/** Ends every membership of an account, and the invitations by it and to its addresses. */
export async function endMemberships(
  db: Db,
  user_id: UserId,
  addresses: readonly string[],
): Promise<void> {
  await db.run(sql`delete from member_invitations
    where email_normalized = any(${[...addresses]}) or invited_by = ${user_id}`)
  await db.run(sql`delete from seller_members where user_id = ${user_id}`)
}
