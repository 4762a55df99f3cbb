import * as apps from '#domain/apps'
import { type Credentials, credentialsOf } from '#http/authorization'
import { refuse } from '#http/refusals'
import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import type { ServedRequest } from '#platform/served-request'

const CHALLENGE = { 'www-authenticate': 'Basic realm="licenses", charset="UTF-8"' }

/**
 * The client ID and secret of a call (spec: Authentication); throws `invalid_client` without them.
 */
export function requireAppCredentials(request: ServedRequest): Credentials {
  const credentials = credentialsOf(request)
  if (!credentials) throw refuse('invalid_client', { headers: CHALLENGE })
  return credentials
}

/** Refuses a client that does not exist, has another secret, or belongs to no app. */
export function requireAppSecret(client: apps.Client | undefined, credentials: Credentials): AppId {
  const isProven = apps.hasSecret(client, credentials.client_secret)
  if (!isProven || !client?.app_id) throw refuse('invalid_client', { headers: CHALLENGE })
  return client.app_id
}

/** The app of a call; throws `invalid_client` without its credentials (spec: Authentication). */
export async function requireApp(db: Db, request: ServedRequest): Promise<AppId> {
  const credentials = requireAppCredentials(request)
  return requireAppSecret(await apps.findClient(db, credentials.client_id), credentials)
}

/** What the endpoints share that an app calls with its credentials. */
export function forApps(db: Db) {
  return {
    auth: 'basic',
    authenticate: (request: ServedRequest) => requireApp(db, request),
  } as const
}
