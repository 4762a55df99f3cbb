import type * as licensing from '#domain/licensing'
import { bearerChallenge, bearerToken, sendsBearerToken } from '#http/authorization'
import { refuse } from '#http/refusals'
import type { ServedRequest } from '#platform/served-request'

const SCOPE = 'entitlements'
const REALM = 'entitlement'

/** Finds the entitlement of an access token, with those of others that arrive at the same time. */
export type EntitlementLookup = (
  access_token: string,
) => Promise<licensing.TokenEntitlement | undefined>

/** The entitlement of the access token (spec: Entitlement endpoint); refuses other tokens. */
export async function requireEntitlementToken(
  find: EntitlementLookup,
  request: ServedRequest,
): Promise<licensing.TokenEntitlement> {
  const token = bearerToken(request)
  const found = token && (await find(token))
  if (!found) {
    const error = sendsBearerToken(request) ? 'invalid_token' : undefined
    throw refuse('invalid_token', { headers: bearerChallenge({ realm: REALM, error }) })
  }
  if (!found.scopes.includes(SCOPE)) {
    const error = 'insufficient_scope'
    const headers = bearerChallenge({ realm: REALM, error, scope: SCOPE })
    throw refuse(error, { scope: SCOPE, headers })
  }
  if (!found.app_id) throw refuse('Client is not linked to an app')
  if (!found.addon_enabled) throw refuse('service_not_enabled')
  return found
}
