import { addDays, addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

export type LinkPurpose = 'verify_email' | 'set_password' | 'sign_in' | 'not_me'

/** A link that was sent to a mailbox and proves, once, that its reader has that mailbox. */
export interface Link {
  user_id: string
  purpose: LinkPurpose
  return_to: string | null
  email: string
}

const LIFE_DAYS = 7
const SIGN_IN_SECONDS = 20 * 60

/** Stores a new link under a secret of 256 random bits, of which only a digest is kept. */
export async function addLink(
  db: Db,
  now: Date,
  link: { token: string; user_id: string; purpose: LinkPurpose; return_to?: string },
): Promise<void> {
  const expires_at =
    link.purpose === 'sign_in' ? addSeconds(now, SIGN_IN_SECONDS) : addDays(now, LIFE_DAYS)
  await db.run(sql`insert into account_links
    (token_hash, user_id, purpose, return_to, created_at, expires_at)
    values (${sha256(link.token)}, ${link.user_id}, ${link.purpose}, ${link.return_to ?? null},
      ${now}, ${expires_at})`)
}

/** Reads a link without using it up: what a page shows before its button is pressed. */
export async function peekLink(
  db: Db,
  now: Date,
  facts: { token: string; purpose: LinkPurpose },
): Promise<Link | undefined> {
  return await db.maybe<Link>(sql`select l.user_id, l.purpose, l.return_to, u.email
    from account_links l join users u on u.id = l.user_id
    where l.token_hash = ${sha256(facts.token)} and l.purpose = ${facts.purpose}
      and l.used_at is null and l.expires_at > ${now}
      and (u.locked_at is null or l.purpose = 'not_me')`)
}

/** Uses a link up: of many readers at once, one gets it. */
export async function useLink(
  db: Db,
  now: Date,
  facts: { token: string; purpose: LinkPurpose },
): Promise<Link | undefined> {
  return await db.maybe<Link>(sql`update account_links l set used_at = ${now}
    from users u where u.id = l.user_id
      and l.token_hash = ${sha256(facts.token)} and l.purpose = ${facts.purpose}
      and l.used_at is null and l.expires_at > ${now}
      and (u.locked_at is null or l.purpose = 'not_me')
    returning l.user_id, l.purpose, l.return_to, u.email`)
}
