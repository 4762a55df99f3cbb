import * as apps from '#domain/apps'
import { type Credentials, credentialsOf } from '#http/authorization'
import { refuse } from '#http/refusals'
import type { AppId } from '#platform/ids'
import type { ServedRequest } from '#platform/served'

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
