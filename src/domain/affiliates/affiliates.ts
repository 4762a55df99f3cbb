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
 * Whether an affiliate is the buyer (the same account, mailbox or card) or a member of the
 * seller, who would earn a commission on their own payment.
 */
export async function isSelf(db: Db, affiliate_id: AffiliateId, payer: Payer): Promise<boolean> {
  const { self } = await db.one<{ self: boolean }>(sql`select exists (
    select 1 from affiliates a join users u on u.id = a.user_id
    where a.id = ${affiliate_id} and (u.email_normalized = ${payer.email_normalized}
      or exists (select 1 from seller_members m
        where m.seller_id = ${payer.seller_id} and m.user_id = u.id)
      or exists (select 1 from cards c
        where c.user_id = u.id and c.fingerprint = ${payer.fingerprint}))) as self`)
  return self
}

/** Replaces the code of a deleted account's affiliate, so that its links no longer count. */
export async function retireCode(db: Db, affiliate_id: AffiliateId, code: string): Promise<void> {
  await db.run(sql`update affiliates set code = ${code} where id = ${affiliate_id}`)
}
