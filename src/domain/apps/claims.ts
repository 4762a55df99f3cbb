import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { Random } from '#platform/random'
import { type KeyRing, mintSecret, sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** How long a new secret can be claimed, in seconds (spec: regenerate_client_secret). */
const CLAIM_LIFE = 600
const PURPOSE = 'secret-claim'

/** The URL token that fetches a secret once, and when it expires. */
export interface SecretClaim {
  token: string
  expires_at: Date
}

/**
 * Creates a claim for a client's new secret, to be fetched once. Only a digest of the token (256
 * random bits) is stored, and the secret is sealed. Claims on older secrets of the client end.
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

/** Ends every claim on a secret of a client: a newer one has replaced it. */
export async function endClaims(db: Db, client_id: string): Promise<void> {
  await db.run(sql`delete from secret_claims where client_id = ${client_id}`)
}

/**
 * Fetches a secret. One statement deletes and returns the row, so that only one of many concurrent
 * readers gets it. Used, expired and unknown claims look the same.
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

/** Whether a secret could be claimed now, without claiming it. */
export async function isClaimable(db: Db, now: Date, token: string): Promise<boolean> {
  const claim = sql`select 1 from secret_claims
    where id = ${sha256(token)} and expires_at > ${now}`
  return (await db.maybe(claim)) !== undefined
}

/** Deletes secrets that were not claimed in time. */
export async function sweepClaims(db: Db, now: Date): Promise<void> {
  await db.run(sql`delete from secret_claims where expires_at <= ${now}`)
}

function boundTo(id: Buffer): string {
  return id.toString('base64url')
}
