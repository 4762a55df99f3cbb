import type { Db } from '#platform/db'
import type { AppId, ImageId } from '#platform/ids'
import { sameDigest, sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import type { Addresses } from './integration.ts'

/** What a call needs to know about a client: its app, and the digest of its secret. */
export interface Client {
  app_id: AppId | null
  secret_hash: Buffer | null
}

const UNKNOWN_SECRET_HASH = sha256('no client has this secret')

/**
 * Stores a new client of an app. Only a digest of the secret (256 random bits) is stored; a client
 * without one cannot authenticate until a secret is created.
 */
export async function addClient(
  db: Db,
  now: Date,
  client: { client_id: string; app_id: AppId; client_secret: string | null },
): Promise<void> {
  await db.run(sql`insert into clients (client_id, app_id, secret_hash, created_at)
    values (${client.client_id}, ${client.app_id},
      ${client.client_secret === null ? null : sha256(client.client_secret)}, ${now})`)
}

/** A client by its id. */
export async function findClient(db: Db, client_id: string): Promise<Client | undefined> {
  return await db.maybe<Client>(
    sql`select app_id, secret_hash from clients where client_id = ${client_id}`,
  )
}

/** A client with the app whose name is shown at hosted sign-in. */
export interface SignInClient extends Client, RedirectLists {
  client_id: string
  app_name: string | null
  app_url: string | null
  icon_id: ImageId | null
  oauth_login_url: string | null
}

/** A client for hosted sign-in; it belongs to an app unless it was set up wrongly. */
export async function findSignInClient(
  db: Db,
  client_id: string,
): Promise<SignInClient | undefined> {
  return await db.maybe<SignInClient>(sql`
    select c.client_id, c.app_id, c.secret_hash, c.redirect_uris, c.post_logout_redirect_uris,
      a.name as app_name, a.url as app_url, a.icon_id, a.oauth_login_url
    from clients c left join apps a on a.id = c.app_id where c.client_id = ${client_id}`)
}

/** Replaces a client's secret; the old one stops working at once. */
export async function replaceSecret(db: Db, client_id: string, secret: string): Promise<void> {
  await db.run(sql`update clients set secret_hash = ${sha256(secret)}
    where client_id = ${client_id}`)
}

/** Revokes a client's secret: it cannot authenticate until a new one is created. */
export async function revokeSecret(db: Db, client_id: string): Promise<void> {
  await db.run(sql`update clients set secret_hash = null where client_id = ${client_id}`)
}

/** A client's allow-lists, compared byte for byte (spec: Sign-in rules, 3). */
export type RedirectLists = Pick<Addresses, 'redirect_uris' | 'post_logout_redirect_uris'>

/** The client of an app as its seller sees it; the secret is known by its digest only. */
export interface AppClient extends RedirectLists {
  client_id: string
  secret_hash: Buffer | null
}

const OWN_CLIENT = sql`select client_id, secret_hash, redirect_uris, post_logout_redirect_uris
  from clients`

/** The client of an app. */
export async function getClientOf(db: Db, app_id: AppId): Promise<AppClient> {
  return await db.one<AppClient>(sql`${OWN_CLIENT} where app_id = ${app_id}`)
}

/**
 * The client of an app, with its row locked until the transaction ends. New rows may still refer to
 * it, as those of a sign-in do.
 */
export async function lockClientOf(db: Db, app_id: AppId): Promise<AppClient> {
  return await db.one<AppClient>(sql`${OWN_CLIENT} where app_id = ${app_id}
    for no key update`)
}

/** An identifier of a client's current secret that reveals nothing about it. */
export function secretName(client: AppClient): string {
  return sha256(client.secret_hash ?? '').toString('base64url')
}

/** Replaces both allow-lists of a client. */
export async function setRedirectLists(
  db: Db,
  client_id: string,
  lists: RedirectLists,
): Promise<void> {
  await db.run(sql`update clients set redirect_uris = ${lists.redirect_uris},
    post_logout_redirect_uris = ${lists.post_logout_redirect_uris}
    where client_id = ${client_id}`)
}

/** Compares a secret in constant time, which takes as long for a client that does not exist. */
export function hasSecret(client: Client | undefined, secret: string): boolean {
  const stored = client?.secret_hash
  const same = sameDigest(stored ?? UNKNOWN_SECRET_HASH, sha256(secret))
  return same && stored != null
}
