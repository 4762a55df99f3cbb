import { type CreatedCursor, containing, isBelow } from '#platform/created-list'
import type { Db } from '#platform/db'
import type { SellerId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** The states by which staff filter sellers. */
export const SELLER_STATES = ['active', 'suspended', 'paused'] as const
export type SellerState = (typeof SELLER_STATES)[number]

/** A seller in the list of staff. */
export interface ListedSeller {
  id: SellerId
  legal_name: string
  /** The owner's; null if the seller has none. */
  email: string | null
  suspended_at: Date | null
  payouts_paused_at: Date | null
  created_at: Date
}

/** A search for sellers. An absent field matches everything. */
export interface SellerQuery {
  id?: SellerId | undefined
  /** Of a member. */
  email_normalized?: string | undefined
  /** A part of the legal name, in any case. */
  name?: string | undefined
  state?: SellerState | undefined
  below?: CreatedCursor<SellerId> | undefined
  limit: number
}

/** Sellers, newest first. */
export async function listSellers(
  db: Db,
  { id, email_normalized, name, state, below, limit }: SellerQuery,
): Promise<ListedSeller[]> {
  const ofId = id === undefined ? sql`` : sql`and s.id = ${id}`
  const ofMember =
    email_normalized === undefined
      ? sql``
      : sql`and s.id in (select m.seller_id from seller_members m join users u on u.id = m.user_id
          where u.email_normalized = ${email_normalized})`
  const named = name === undefined ? sql`` : sql`and s.legal_name ilike ${containing(name)}`
  return await db.rows<ListedSeller>(sql`select s.id, s.legal_name,
      (select u.email from seller_members m join users u on u.id = m.user_id
        where m.seller_id = s.id and m.role = 'owner') as email,
      s.suspended_at, s.payouts_paused_at, s.created_at
    from sellers s
    where ${isBelow(sql`s.created_at, s.id`, below)}
      ${ofId} ${ofMember} ${named} ${inState(state)}
    order by s.created_at desc, s.id desc limit ${limit}`)
}

function inState(state: SellerState | undefined): Sql {
  switch (state) {
    case 'active':
      return sql`and s.suspended_at is null`
    case 'suspended':
      return sql`and s.suspended_at is not null`
    case 'paused':
      return sql`and s.payouts_paused_at is not null`
    case undefined:
      return sql``
  }
}

/** A seller's figures in the list of staff. */
export interface SellerFigures {
  id: SellerId
  apps: number
  /** Payments for these apps, also those before a transfer. */
  sales: number
  /** What the seller is owed; negative: what the seller owes. */
  balance: Cents
  /** Open disputes of what the seller sold, also where the app has since been transferred. */
  disputes: number
}

/** The figures of these sellers, in no order. */
export async function sellerFigures(db: Db, ids: SellerId[]): Promise<SellerFigures[]> {
  // The few open disputes are counted once, not for each seller from its many sales.
  return await db.rows<SellerFigures>(sql`with open as materialized (
      select i.seller_id, count(*) as count
      from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
      where d.status = 'open' group by i.seller_id)
    select s.id,
      (select count(*) from apps a where a.seller_id = s.id) as apps,
      (select coalesce(sum(days.count), 0) from apps a, lateral (
          select sum(m.count) as count from metric_days m
            where m.app_id = a.id and m.metric = 'sale'
          union all select sum(c.count) from metric_changes c
            where c.app_id = a.id and c.metric = 'sale') days
        where a.seller_id = s.id)::bigint as sales,
      (select coalesce(-sum(b.amount), 0) from (
          select p.amount from payee_balances p
            where p.owner = s.id and p.account = 'seller_payable'
          union all select n.amount from payee_unsummed n
            where n.owner = s.id and n.account = 'seller_payable') b)::bigint as balance,
      coalesce((select o.count from open o where o.seller_id = s.id), 0) as disputes
    from sellers s where s.id = any(${ids})`)
}

/**
 * Locks a seller's row until the transaction ends; undefined if there is no such seller. New rows
 * may still refer to it, as those of a purchase do.
 */
export async function lockSeller(
  tx: Db,
  id: SellerId,
): Promise<Pick<ListedSeller, 'id' | 'suspended_at' | 'payouts_paused_at'> | undefined> {
  return await tx.maybe<Pick<ListedSeller, 'id' | 'suspended_at' | 'payouts_paused_at'>>(
    sql`select id, suspended_at, payouts_paused_at from sellers
      where id = ${id} for no key update`,
  )
}

/** A seller that staff suspend, or reinstated, and since when. */
export type SuspendedSeller = Pick<ListedSeller, 'id' | 'suspended_at'>

/** The suspended sellers. */
export async function suspended(db: Db): Promise<SuspendedSeller[]> {
  return await db.rows<SuspendedSeller>(sql`select id, suspended_at from sellers
    where suspended_at is not null`)
}

/** Suspends a seller, or reinstates it with null. */
export async function setSuspended(tx: Db, id: SellerId, suspended_at: Date | null): Promise<void> {
  await tx.run(sql`update sellers set suspended_at = ${suspended_at} where id = ${id}`)
}

/** Pauses a seller's payouts, or resumes them with null. */
export async function setPayoutsPaused(
  tx: Db,
  id: SellerId,
  payouts_paused_at: Date | null,
): Promise<void> {
  await tx.run(sql`update sellers set payouts_paused_at = ${payouts_paused_at} where id = ${id}`)
}
