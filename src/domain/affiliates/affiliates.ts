import type { Db } from '#platform/db'
import type { AffiliateId, SellerId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import { isCode } from './code.ts'

/** An affiliate with the code that links carry as `ref`. */
export interface Affiliate {
  id: AffiliateId
  user_id: UserId
  code: string
}

/** The affiliate of a code, in any case; undefined for an unknown code. */
export async function findByCode(db: Db, text: string): Promise<Affiliate | undefined> {
  const code = text.toLowerCase()
  if (!isCode(code)) return undefined
  return await db.maybe<Affiliate>(
    sql`select id, user_id, code from affiliates where code = ${code}`,
  )
}

/** The affiliate of an account. */
export async function affiliateOf(db: Db, user_id: UserId): Promise<Affiliate | undefined> {
  return await db.maybe<Affiliate>(
    sql`select id, user_id, code from affiliates where user_id = ${user_id}`,
  )
}

/** Registers an affiliate; false if the code is taken, or the account has one. */
export async function add(db: Db, now: Date, affiliate: Affiliate): Promise<boolean> {
  const added = await db.run(sql`insert into affiliates (id, user_id, code, created_at)
    values (${affiliate.id}, ${affiliate.user_id}, ${affiliate.code}, ${now})
    on conflict do nothing`)
  return added === 1
}

/** Who pays, and for whose app. */
export interface Payer {
  email_normalized: string
  /** The fingerprint of the card that pays. */
  fingerprint: string
  /** The seller of the app. */
  seller_id: SellerId
}

/**
 * Whether an affiliate earns a commission on a payment: not on one of their own (the same account,
 * mailbox or card), nor as a member of the seller, nor after their account was deleted. Until the
 * transaction ends, the account is not deleted.
 */
export async function earnsOn(tx: Db, affiliate_id: AffiliateId, payer: Payer): Promise<boolean> {
  const earning = await tx.maybe(sql`select a.id from affiliates a join users u on u.id = a.user_id
    where a.id = ${affiliate_id} and a.retired_at is null
      and u.email_normalized <> ${payer.email_normalized}
      and not exists (select 1 from seller_members m
        where m.seller_id = ${payer.seller_id} and m.user_id = u.id)
      and not exists (select 1 from cards c
        where c.user_id = u.id and c.fingerprint = ${payer.fingerprint})
    for share of a`)
  return earning !== undefined
}

/** The affiliate of an account that is being deleted, locked: payments in progress end before. */
export async function lockAffiliateOf(tx: Db, user_id: UserId): Promise<Affiliate | undefined> {
  return await tx.maybe<Affiliate>(
    sql`select id, user_id, code from affiliates where user_id = ${user_id} for update`,
  )
}

/** Whether the account of an affiliate was deleted. */
export async function isRetired(db: Db, id: AffiliateId): Promise<boolean> {
  const { is_retired } = await db.one<{ is_retired: boolean }>(
    sql`select retired_at is not null as is_retired from affiliates where id = ${id}`,
  )
  return is_retired
}

/** Ends the commissions of a deleted account, and replaces its code: its links no longer count. */
export async function retire(
  db: Db,
  now: Date,
  { id, code }: Pick<Affiliate, 'id' | 'code'>,
): Promise<void> {
  await db.run(sql`update affiliates set code = ${code}, retired_at = ${now} where id = ${id}`)
}
