import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** A referrer with the code that stands in links as `ref`. */
export interface Affiliate {
  id: string
  user_id: string
  code: string
}

const CODE = /^[a-z0-9-]{4,32}$/

/** The referrer of a code, or undefined for a code that nobody has. */
export async function findByCode(db: Db, code: string): Promise<Affiliate | undefined> {
  if (!CODE.test(code)) return undefined
  return await db.maybe<Affiliate>(
    sql`select id, user_id, code from affiliates where code = ${code}`,
  )
}

/** Registers a referrer. */
export async function add(db: Db, now: Date, affiliate: Affiliate): Promise<void> {
  await db.run(sql`insert into affiliates (id, user_id, code, created_at)
    values (${affiliate.id}, ${affiliate.user_id}, ${affiliate.code}, ${now})`)
}

/** Tells whether a referrer is the buyer: the same account, mailbox or card. */
export async function isSelf(
  db: Db,
  affiliate_id: string,
  buyer: { email_normalised: string; fingerprint: string },
): Promise<boolean> {
  const { self } = await db.one<{ self: boolean }>(sql`select exists (
    select 1 from affiliates a join users u on u.id = a.user_id
    where a.id = ${affiliate_id} and (u.email_normalised = ${buyer.email_normalised}
      or exists (select 1 from cards c
        where c.user_id = u.id and c.fingerprint = ${buyer.fingerprint}))) as self`)
  return self
}
