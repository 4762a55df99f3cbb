import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { sql } from '#platform/sql'

/** The authenticator app of an account, with its sealed secret. */
export interface AuthenticatorApp {
  user_id: UserId
  secret_sealed: Buffer
  created_at: Date
  confirmed_at: Date | null
}

const SETUP_SECONDS = 15 * 60

/** Starts the setup of an authenticator app; false if the account already has one. */
export async function startAuthenticatorSetup(
  db: Db,
  now: Date,
  facts: { user_id: UserId; secret_sealed: Buffer },
): Promise<boolean> {
  const added = await db.run(sql`insert into authenticator_apps
    (user_id, secret_sealed, created_at) values (${facts.user_id}, ${facts.secret_sealed}, ${now})
    on conflict (user_id) do update
    set secret_sealed = excluded.secret_sealed, created_at = excluded.created_at
    where authenticator_apps.confirmed_at is null`)
  return added === 1
}

/** The app that is being set up, while its secret may still be shown. */
export async function findUnconfirmed(
  db: Db,
  now: Date,
  user_id: UserId,
): Promise<AuthenticatorApp | undefined> {
  return await db.maybe<AuthenticatorApp>(sql`
    select user_id, secret_sealed, created_at, confirmed_at from authenticator_apps
    where user_id = ${user_id} and confirmed_at is null
      and created_at > ${addSeconds(now, -SETUP_SECONDS)}`)
}

/** The app that an account confirmed. */
export async function findAuthenticator(
  db: Db,
  user_id: UserId,
): Promise<AuthenticatorApp | undefined> {
  return await db.maybe<AuthenticatorApp>(sql`
    select user_id, secret_sealed, created_at, confirmed_at from authenticator_apps
    where user_id = ${user_id} and confirmed_at is not null`)
}

/**
 * Confirms an app by a code of this time step; false if it was confirmed before, or its setup has
 * started again with another secret.
 */
export async function confirmAuthenticator(
  db: Db,
  now: Date,
  facts: { user_id: UserId; secret_sealed: Buffer; step: number },
): Promise<boolean> {
  const confirmed = await db.run(sql`update authenticator_apps
    set confirmed_at = ${now}, last_step = ${facts.step}
    where user_id = ${facts.user_id} and secret_sealed = ${facts.secret_sealed}
      and confirmed_at is null`)
  return confirmed === 1
}

/**
 * Records the use of a code by its time step; false if it, or one of a later step, was used before.
 */
export async function takeStep(db: Db, facts: { user_id: UserId; step: number }): Promise<boolean> {
  const taken = await db.run(sql`update authenticator_apps set last_step = ${facts.step}
    where user_id = ${facts.user_id} and confirmed_at is not null and last_step < ${facts.step}`)
  return taken === 1
}

/** Removes an account's app; false if there was none. */
export async function removeAuthenticator(db: Db, user_id: UserId): Promise<boolean> {
  const removed = await db.run(sql`delete from authenticator_apps where user_id = ${user_id}`)
  return removed === 1
}
