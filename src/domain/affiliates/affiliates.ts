import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { isCode } from './code.ts'

/** A referrer with the code that stands in links as `ref`. */
export interface Affiliate {
  id: string
  user_id: string
  code: string
}

/** The referrer of a code in whatever case, or undefined for a code that nobody has. */
export async function findByCode(db: Db, text: string): Promise<Affiliate | undefined> {
  const code = text.toLowerCase()
  if (!isCode(code)) return undefined
  return await db.maybe<Affiliate>(
    sql`select id, user_id, code from affiliates where code = ${code}`,
  )
}

/** The referrer that an account is. */
export async function affiliateOf(db: Db, user_id: string): Promise<Affiliate | undefined> {
  return await db.maybe<Affiliate>(
    sql`select id, user_id, code from affiliates where user_id = ${user_id}`,
  )
}

/** Registers a referrer; false where the code is somebody's, or the account has one. */
export async function add(db: Db, now: Date, affiliate: Affiliate): Promise<boolean> {
  const added = await db.run(sql`insert into affiliates (id, user_id, code, created_at)
    values (${affiliate.id}, ${affiliate.user_id}, ${affiliate.code}, ${now})
    on conflict do nothing`)
  return added === 1
}

/** Who pays, and for whose app. */
export interface Payer {
  email_normalized: string
  /** Of the card that pays. */
  fingerprint: string
  /** The account that sells the app. */
  developer_id: string
}

/**
 * Tells whether a referrer is the buyer (the same account, mailbox or card) or the seller, who
 * would pay himself a part of the fee.
 */
export async function isSelf(db: Db, affiliate_id: string, payer: Payer): Promise<boolean> {
  const { self } = await db.one<{ self: boolean }>(sql`select exists (
    select 1 from affiliates a join users u on u.id = a.user_id
    where a.id = ${affiliate_id} and (u.email_normalized = ${payer.email_normalized}
      or u.id = ${payer.developer_id}
      or exists (select 1 from cards c
        where c.user_id = u.id and c.fingerprint = ${payer.fingerprint}))) as self`)
  return self
}
