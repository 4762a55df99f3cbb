import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { SellerId, SessionId, UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** A one-time entry that takes a signed-in member from live mode to the test mode beside it. */
export interface TestModeEntry {
  user_id: UserId
  seller_id: SellerId
  /** The session in live mode; the one in test mode ends with it. */
  session_id: SessionId
  /** The path of the page in test mode. */
  return_to: string
}

/** A browser follows the redirect at once. */
const LIFE_SECONDS = 60

/** The secret of an entry, and the digest by which test mode knows the browser that enters. */
export interface EntrySecret {
  token: string
  browser: string
}

// Another browser has another digest, so the secret is worth nothing there.
const hashOf = ({ token, browser }: EntrySecret) => sha256(`${token}.${browser}`)

/** Stores an entry under a secret of 256 random bits, of which only a digest is stored. */
export async function addTestModeEntry(
  db: Db,
  now: Date,
  { user_id, seller_id, session_id, return_to, ...secret }: TestModeEntry & EntrySecret,
): Promise<void> {
  await db.run(sql`insert into account_links
    (token_hash, user_id, purpose, about, session_id, return_to, created_at, expires_at)
    values (${hashOf(secret)}, ${user_id}, 'test_mode', ${seller_id}, ${session_id}, ${return_to},
      ${now}, ${addSeconds(now, LIFE_SECONDS)})`)
}

/** Uses an entry up: of many concurrent readers, one gets it. Undefined for a locked account. */
export async function useTestModeEntry(
  db: Db,
  now: Date,
  secret: EntrySecret,
): Promise<TestModeEntry | undefined> {
  const link = await db.maybe<{
    user_id: UserId
    seller_id: SellerId | null
    session_id: SessionId | null
    return_to: string | null
  }>(sql`update account_links l set used_at = ${now}
    from users u where u.id = l.user_id and u.locked_at is null
      and l.token_hash = ${hashOf(secret)} and l.purpose = 'test_mode'
      and l.used_at is null and l.expires_at > ${now}
    returning l.user_id, l.about as seller_id, l.session_id, l.return_to`)
  if (!link?.seller_id || !link.session_id) return undefined
  const { user_id, seller_id, session_id, return_to } = link
  return { user_id, seller_id, session_id, return_to: return_to ?? '/dashboard/' }
}
