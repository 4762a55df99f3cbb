import { generateKeyPair } from 'node:crypto'
import { promisify } from 'node:util'
import { addSeconds } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import type { Random } from '#platform/random'
import { type KeyRing, mintSecret, sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { orderKeys, PUBLISHED_AHEAD, type SigningKey } from './signing.ts'

/** The keys of hosted sign-in, decrypted. */
export interface Keys {
  signing: SigningKey[]
  /** The key from which people's private ids are derived; it never changes. */
  subject: Buffer
}

interface Tools {
  keys: KeyRing
  random: Random
}

interface KeyRow {
  id: string
  purpose: 'sign' | 'subject'
  sealed: Buffer
  active_from: Date
}

/** Notified when every process must reload the keys before it signs again. */
export const KEYS_CHANGED = 'oidc_keys_changed'

const SEAL = 'oidc-key'
const BITS = 2048

/** The keys, created at the first start. */
export async function openKeys(db: Database, now: Date, tools: Tools): Promise<Keys> {
  const known = await readKeys(db, tools.keys)
  if (known) return known
  const first = await makeKey()
  await db.tx(async (tx) => {
    // Of two processes that start at once, one creates the keys and the other finds them.
    await tx.rows(sql`select pg_advisory_xact_lock(${LOCK}::bigint)`)
    if (await readKeys(tx, tools.keys)) return
    await addKey(tx, now, tools, { ...first, purpose: 'sign', active_from: now })
    const subject = { id: 'subject', purpose: 'subject', text: mintSecret(tools.random) } as const
    await addKey(tx, now, tools, { ...subject, active_from: now })
  })
  return (await readKeys(db, tools.keys))!
}

// Any number works, as long as every process of every version uses the same one.
const LOCK = 7_305_433

/**
 * Adds a key that replaces the signing key once every process has published it, and seals all of
 * them again under the ring's current key. `at_once`, for a leaked key: the new one signs
 * immediately, and the others are deleted.
 */
export async function rotateKeys(
  db: Database,
  now: Date,
  tools: Tools,
  { at_once }: { at_once: boolean },
): Promise<SigningKey> {
  await openKeys(db, now, tools)
  const made = await makeKey()
  const active_from = at_once ? now : addSeconds(now, PUBLISHED_AHEAD)
  await db.tx(async (tx) => {
    if (at_once) {
      await tx.run(sql`delete from oidc_keys where purpose = 'sign'`)
      await tx.rows(sql`select pg_notify(${KEYS_CHANGED}, '')`)
    }
    await addKey(tx, now, tools, { ...made, purpose: 'sign', active_from })
    for (const row of await allKeys(tx)) {
      const text = tools.keys.open(SEAL, row.id, row.sealed)
      const sealed = tools.keys.seal(tools.random, SEAL, row.id, text)
      await tx.run(sql`update oidc_keys set sealed = ${sealed} where id = ${row.id}`)
    }
  })
  return { id: made.id, jwk: JSON.parse(made.text), active_from }
}

/** Deletes keys whose signatures have all expired. */
export async function sweepKeys(db: Db, now: Date): Promise<void> {
  const rows = (await allKeys(db)).filter(({ purpose }) => purpose === 'sign')
  const expired = orderKeys(now, rows).expired.map(({ id }) => id)
  if (expired.length > 0) await db.run(sql`delete from oidc_keys where id = any(${expired})`)
}

async function allKeys(db: Db): Promise<KeyRow[]> {
  return await db.rows<KeyRow>(
    sql`select id, purpose, sealed, active_from from oidc_keys order by id`,
  )
}

async function readKeys(db: Db, ring: KeyRing): Promise<Keys | undefined> {
  const rows = await allKeys(db)
  const open = ({ id, sealed }: KeyRow) => ring.open(SEAL, id, sealed)
  const signing = rows
    .filter(({ purpose }) => purpose === 'sign')
    .map((row) => ({ id: row.id, active_from: row.active_from, jwk: JSON.parse(open(row)) }))
  const subject = rows.find(({ purpose }) => purpose === 'subject')
  return subject && { signing, subject: Buffer.from(open(subject), 'base64url') }
}

async function addKey(
  db: Db,
  now: Date,
  tools: Tools,
  key: Omit<KeyRow, 'sealed'> & { text: string },
): Promise<void> {
  const sealed = tools.keys.seal(tools.random, SEAL, key.id, key.text)
  await db.run(sql`insert into oidc_keys (id, purpose, sealed, active_from, created_at)
    values (${key.id}, ${key.purpose}, ${sealed}, ${key.active_from}, ${now})`)
}

/** A new RSA key, named by its thumbprint (RFC 7638). */
async function makeKey(): Promise<{ id: string; text: string }> {
  const { privateKey } = await promisify(generateKeyPair)('rsa', { modulusLength: BITS })
  const jwk = privateKey.export({ format: 'jwk' })
  const id = sha256(JSON.stringify({ e: jwk.e, kty: jwk.kty, n: jwk.n })).toString('base64url')
  return { id, text: JSON.stringify({ ...jwk, kid: id, alg: 'RS256', use: 'sig' }) }
}
