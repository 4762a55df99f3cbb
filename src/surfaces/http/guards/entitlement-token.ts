import type { FastifyRequest } from 'fastify'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { bearerToken } from '#http/authorization'
import { refuse } from '#http/refusals'

const SCOPE = 'entitlements'

/** The entitlement of the access token (spec: Entitlement endpoint); refuses other tokens. */
export async function requireEntitlementToken(
  { db, clock }: World,
  request: FastifyRequest,
): Promise<licensing.TokenEntitlement> {
  const token = bearerToken(request)
  const found = token && (await licensing.findByToken(db, clock.now(), token))
  if (!found) throw refuse('invalid_token', { headers: challenge(token && 'invalid_token') })
  if (!found.scopes.includes(SCOPE)) {
    const headers = challenge('insufficient_scope', SCOPE)
    throw refuse('insufficient_scope', { scope: SCOPE, headers })
  }
  if (!found.app_id) throw refuse('Client is not linked to an app')
  if (!found.addon_enabled) throw refuse('service_not_enabled')
  return found
}

/** The challenge header (RFC 6750); a call without a token gets no error code. */
function challenge(error: string | undefined, scope?: string): Record<string, string> {
  const parts = [
    'realm="entitlement"',
    ...(error ? [`error="${error}"`] : []),
    ...(scope ? [`scope="${scope}"`] : []),
  ]
  return { 'www-authenticate': `Bearer ${parts.join(', ')}` }
}
