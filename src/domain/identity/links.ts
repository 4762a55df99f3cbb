import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { EmailChangeId, UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { columnsOf, rowColumnsOf, rowsOf, type Sql, sql } from '#platform/sql'

/** The purposes of an account's links. A sign-up's link has no account yet: sign-ups.ts. */
export type LinkPurpose =
  | 'verify_email'
  | 'set_password'
  | 'sign_in'
  | 'not_me'
  | 'change_email'
  | 'undo_email'

/** An emailed link that proves, once, that its reader owns the mailbox. */
export interface AccountLink {
  user_id: UserId
  purpose: LinkPurpose
  return_to: string | null
  /** The email change that it confirms or undoes. */
  about: EmailChangeId | null
  email: string
  email_normalized: string
}

const HOUR = 3600
const LIFE_SECONDS: Record<LinkPurpose, number> = {
  verify_email: 7 * 24 * HOUR,
  set_password: 7 * 24 * HOUR,
  sign_in: HOUR / 3,
  not_me: 7 * 24 * HOUR,
  change_email: 24 * HOUR,
  undo_email: 7 * 24 * HOUR,
}

/** How long the link works that a person requests who has forgotten the password. */
export const RESET_SECONDS = HOUR

/** A link that is about to be sent. */
export interface NewLink {
  token: string
  user_id: UserId
  purpose: LinkPurpose
  return_to?: string | undefined
  about?: EmailChangeId | undefined
  /** How long it works; that of its purpose by default. */
  life_seconds?: number | undefined
  /** The email that it is sent to, if that is the account's. */
  sent_to?: string | undefined
}

/**
 * Stores a new link under a secret of 256 random bits, of which only a digest is stored. False if
 * the account has another email than it is sent to, or was deleted: it would let the owner of the
 * former mailbox in.
 */
export async function addLink(db: Db, now: Date, link: NewLink): Promise<boolean> {
  return await addLinks(db, now, [link])
}

/** Stores new links as `addLink` stores one; false if one of them was not stored. */
export async function addLinks(db: Db, now: Date, links: NewLink[]): Promise<boolean> {
  const rows = links.map((link) => ({
    ...link,
    token_hash: sha256(link.token),
    created_at: now,
    expires_at: expiryOf(now, link),
  }))
  // A change of email that is being confirmed ends first, and has expired the links before it.
  const added = await db.run(sql`insert into account_links (${columnsOf(TYPES)})
    select ${rowColumnsOf(TYPES)}
    from ${rowsOf(rows, { ...TYPES, sent_to: 'text' })}
      join users u on u.id = row.user_id and (row.sent_to is null or u.email = row.sent_to)
    for share of u`)
  return added === links.length
}

const TYPES = {
  token_hash: 'bytea',
  user_id: 'text',
  purpose: 'text',
  return_to: 'text',
  about: 'text',
  created_at: 'timestamptz',
  expires_at: 'timestamptz',
} as const

function expiryOf(now: Date, { purpose, life_seconds = LIFE_SECONDS[purpose] }: NewLink): Date {
  return addSeconds(now, life_seconds)
}

/** Reads a link without using it up: for the page before its button is pressed. */
export async function peekLink(
  db: Db,
  now: Date,
  facts: { token: string; purpose: LinkPurpose },
): Promise<AccountLink | undefined> {
  return await db.maybe<AccountLink>(sql`select l.user_id, l.purpose, l.return_to,
      l.about, u.email, u.email_normalized
    from account_links l join users u on u.id = l.user_id
    where l.token_hash = ${sha256(facts.token)} and l.purpose = ${facts.purpose}
      and l.used_at is null and l.expires_at > ${now}
      and (u.locked_at is null or l.purpose = 'not_me')`)
}

/** Uses a link up: of many concurrent readers, one gets it. Its account stays locked. */
export async function useLink(
  tx: Db,
  now: Date,
  facts: { token: string; purpose: LinkPurpose },
): Promise<AccountLink | undefined> {
  // In the order in which a deletion locks them: the account, its links, its emails.
  await tx.run(sql`select u.id from users u join account_links l on l.user_id = u.id
    where l.token_hash = ${sha256(facts.token)} for no key update of u`)
  return await tx.maybe<AccountLink>(sql`update account_links l set used_at = ${now}
    from users u where u.id = l.user_id
      and l.token_hash = ${sha256(facts.token)} and l.purpose = ${facts.purpose}
      and l.used_at is null and l.expires_at > ${now}
      and (u.locked_at is null or l.purpose = 'not_me')
    returning l.user_id, l.purpose, l.return_to, l.about, u.email, u.email_normalized`)
}

/** Expires every link of an account's mailbox, except those that undo a change of email. */
export async function expireLinks(db: Db, now: Date, user_id: UserId): Promise<void> {
  await expire(db, now, sql`user_id = ${user_id} and purpose <> 'undo_email'`)
}

/** Expires an account's links that set a password. */
export async function expirePasswordLinks(db: Db, now: Date, user_id: UserId): Promise<void> {
  await expire(db, now, sql`user_id = ${user_id} and purpose = 'set_password'`)
}

/** An expired link does not count as used. */
async function expire(db: Db, now: Date, which: Sql): Promise<void> {
  await db.run(sql`update account_links set expires_at = ${now}
    where ${which} and used_at is null and expires_at > ${now}`)
}

/** When an account was signed in to with emailed links. */
export async function linksUsed(db: Db, user_id: UserId): Promise<Date[]> {
  const rows = await db.rows<{ used_at: Date }>(sql`select distinct used_at from account_links
    where user_id = ${user_id} and purpose in ('verify_email', 'set_password', 'sign_in')
      and used_at is not null order by used_at`)
  return rows.map(({ used_at }) => used_at)
}
