import type { Db } from '#platform/db'
import { sameDigest, sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** What a call needs to know of a client: its app, and the digest of its secret. */
export interface Client {
  app_id: string | null
  secret_hash: Buffer | null
}

const NOBODY = sha256('no client has this secret')

/** Stores a new client of an app; of the secret, 256 random bits, only a digest is kept. */
export async function addClient(
  db: Db,
  now: Date,
  client: { client_id: string; app_id: string; client_secret: string },
): Promise<void> {
  await db.run(sql`insert into clients (client_id, app_id, secret_hash, created_at)
    values (${client.client_id}, ${client.app_id}, ${sha256(client.client_secret)}, ${now})`)
}

/** A client by its id. */
export async function findClient(db: Db, client_id: string): Promise<Client | undefined> {
  return await db.maybe<Client>(
    sql`select app_id, secret_hash from clients where client_id = ${client_id}`,
  )
}

/** Replaces a client's secret; the old one stops at once. */
export async function replaceSecret(db: Db, client_id: string, secret: string): Promise<void> {
  await db.run(sql`update clients set secret_hash = ${sha256(secret)}
    where client_id = ${client_id}`)
}

/** Compares a secret in constant time, and as long for a client that does not exist. */
export function hasSecret(client: Client | undefined, secret: string): boolean {
  const stored = client?.secret_hash
  const same = sameDigest(stored ?? NOBODY, sha256(secret))
  return same && stored != null
}
