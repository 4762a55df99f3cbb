import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { Random } from '#platform/random'
import { type KeyRing, mintSecret, sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** How long a new secret waits to be fetched, in seconds (spec: regenerate_client_secret). */
const CLAIM_LIFE = 600
const PURPOSE = 'secret-claim'

/** The address part that fetches a secret once, and until when. */
export interface SecretClaim {
  token: string
  expires_at: Date
}

/**
 * Lets a new secret of a client be fetched once. Of the token, 256 random bits, a digest is kept;
 * the secret is sealed. Claims on older secrets of the client end.
 */
export async function openClaim(
  db: Db,
  now: Date,
  means: { keys: KeyRing; random: Random },
  facts: { client_id: string; client_secret: string },
): Promise<SecretClaim> {
  const { keys, random } = means
  const { client_id, client_secret } = facts
  const token = mintSecret(random)
  const id = sha256(token)
  const sealed = keys.seal(random, PURPOSE, boundTo(id), client_secret)
  const expires_at = addSeconds(now, CLAIM_LIFE)
  await endClaims(db, client_id)
  await db.run(sql`insert into secret_claims (id, client_id, sealed, expires_at)
    values (${id}, ${client_id}, ${sealed}, ${expires_at})`)
  return { token, expires_at }
}

/** Ends every claim on a secret of a client: a newer one has taken its place. */
export async function endClaims(db: Db, client_id: string): Promise<void> {
  await db.run(sql`delete from secret_claims where client_id = ${client_id}`)
}

/**
 * Fetches a secret. One statement takes the row away and answers with it, so that of many readers at
 * the same moment one gets it; spent, expired and unknown look alike.
 */
export async function takeClaim(
  db: Db,
  now: Date,
  keys: KeyRing,
  token: string,
): Promise<string | undefined> {
  const id = sha256(token)
  const claim = await db.maybe<{ sealed: Buffer }>(sql`delete from secret_claims
    where id = ${id} and expires_at > ${now} returning sealed`)
  return claim && keys.open(PURPOSE, boundTo(id), claim.sealed)
}

/** Tells whether a secret could be fetched now, and leaves it where it is. */
export async function isClaimable(db: Db, now: Date, token: string): Promise<boolean> {
  const claim = sql`select 1 from secret_claims
    where id = ${sha256(token)} and expires_at > ${now}`
  return (await db.maybe(claim)) !== undefined
}

/** Deletes secrets that nobody fetched in time. */
export async function sweepClaims(db: Db, now: Date): Promise<void> {
  await db.run(sql`delete from secret_claims where expires_at <= ${now}`)
}

function boundTo(id: Buffer): string {
  return id.toString('base64url')
}
