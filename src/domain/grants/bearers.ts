import type { Database } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** The holder of an access token. */
export interface Bearer {
  user_id: UserId
  client_id: string
  scopes: string[]
  expires_at: Date
}

/**
 * The holder of an access token for this audience. Undefined if the token is unknown, expired,
 * revoked or for another audience, or the account is locked.
 */
export async function findBearer(
  db: Database,
  now: Date,
  { token, audience }: { token: string; audience: string },
): Promise<Bearer | undefined> {
  const [row] = await db.hot<Omit<Bearer, 'scopes'> & { scope: string | null }>(sql`
    select t.user_id, t.client_id, t.scope, t.expires_at
    from oidc_records t join users u on u.id = t.user_id and u.locked_at is null
    where t.id = ${sha256(token)} and t.kind = 'AccessToken' and t.audience = ${audience}
      and t.expires_at > ${now}`)
  if (!row) return undefined
  const { scope, ...bearer } = row
  return { ...bearer, scopes: scope ? scope.split(' ') : [] }
}

/** The holder of an access token for any audience; undefined for an expired one. */
export async function findHolder(
  db: Database,
  now: Date,
  token: string,
): Promise<Pick<Bearer, 'user_id' | 'client_id'> | undefined> {
  return await db.maybe(sql`select user_id, client_id from oidc_records
    where id = ${sha256(token)} and kind = 'AccessToken' and expires_at > ${now}`)
}
