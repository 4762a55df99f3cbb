import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { PasskeyId, UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'

/** A passkey of an account: the public half of a key pair on a device. */
export interface Passkey {
  id: PasskeyId
  user_id: UserId
  /** The device's id of the key, base64url. */
  credential_id: string
  /** In COSE form. */
  public_key: Buffer
  /** The signature counter that its device reports. */
  counter: number
  transports: string[]
  /** The owner's name for it. */
  name: string
  created_at: Date
  last_used_at: Date | null
}

/** The purpose of a challenge. Only `add` creates a passkey; the others verify one. */
export type ChallengePurpose = 'add' | 'sign_in' | 'second_factor' | 'confirm'

const CHALLENGE_SECONDS = 5 * 60

const COLUMNS = sql`id, user_id, credential_id, public_key, counter, transports, name, created_at,
  last_used_at`

/** Stores a passkey; false if its credential id exists already. */
export async function addPasskey(
  db: Db,
  now: Date,
  passkey: Omit<Passkey, 'created_at' | 'last_used_at'>,
): Promise<boolean> {
  const added = await db.run(sql`insert into passkeys
    (id, user_id, credential_id, public_key, counter, transports, name, created_at)
    values (${passkey.id}, ${passkey.user_id}, ${passkey.credential_id}, ${passkey.public_key},
      ${passkey.counter}, ${passkey.transports}, ${passkey.name}, ${now})
    on conflict (credential_id) do nothing`)
  return added === 1
}

/** The passkeys of an account, oldest first. */
export async function listPasskeys(db: Db, user_id: UserId): Promise<Passkey[]> {
  return await db.rows<Passkey>(
    sql`select ${COLUMNS} from passkeys where user_id = ${user_id} order by created_at, id`,
  )
}

/** The passkey of a credential id. */
export async function findPasskey(db: Db, credential_id: string): Promise<Passkey | undefined> {
  return await db.maybe<Passkey>(
    sql`select ${COLUMNS} from passkeys where credential_id = ${credential_id}`,
  )
}

/**
 * Records that a passkey signed; false if it was removed, or signed with this counter or a later
 * one before, as a copy of it does. A device that does not count reports zero each time.
 */
export async function recordPasskeyUse(
  db: Db,
  now: Date,
  { id, counter }: { id: PasskeyId; counter: number },
): Promise<boolean> {
  const noted = await db.run(sql`update passkeys set counter = ${counter}, last_used_at = ${now}
    where id = ${id} and counter < greatest(${counter}::bigint, 1)`)
  return noted === 1
}

/** Whether an account still has a passkey. */
export async function hasPasskey(
  db: Db,
  { user_id, passkey_id }: { user_id: UserId; passkey_id: PasskeyId },
): Promise<boolean> {
  const found = await db.maybe(sql`select 1 from passkeys
    where id = ${passkey_id} and user_id = ${user_id}`)
  return found !== undefined
}

/** Removes a passkey of an account; returns its name, or undefined if there is none. */
export async function removePasskey(
  db: Db,
  facts: { user_id: UserId; passkey_id: PasskeyId },
): Promise<string | undefined> {
  const removed = await db.maybe<{ name: string }>(sql`delete from passkeys
    where id = ${facts.passkey_id} and user_id = ${facts.user_id} returning name`)
  return removed?.name
}

/** A challenge that a passkey answers, in the browser for which it was created. */
interface PasskeyChallenge {
  challenge: string
  purpose: ChallengePurpose
  /** Null if any account's passkey may answer. */
  user_id: UserId | null
  browser_hash: Buffer
}

/** Stores a challenge for five minutes. */
export async function addChallenge(db: Db, now: Date, facts: PasskeyChallenge): Promise<void> {
  await db.run(sql`insert into passkey_challenges
    (challenge_hash, purpose, user_id, browser_hash, expires_at)
    values (${sha256(facts.challenge)}, ${facts.purpose}, ${facts.user_id}, ${facts.browser_hash},
      ${addSeconds(now, CHALLENGE_SECONDS)})`)
}

/** Uses a challenge up; false unless it was created for this purpose, account and browser. */
export async function useChallenge(db: Db, now: Date, facts: PasskeyChallenge): Promise<boolean> {
  const used = await db.run(sql`delete from passkey_challenges
    where challenge_hash = ${sha256(facts.challenge)} and purpose = ${facts.purpose}
      and user_id is not distinct from ${facts.user_id}
      and browser_hash = ${facts.browser_hash} and expires_at > ${now}`)
  return used === 1
}
