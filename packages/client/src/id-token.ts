/** ID tokens by OpenID Connect Core 1.0, section 3.1.3.7: signed by the issuer, for this app. */
import type { SignInError } from './errors.ts'
import { failure } from './login.ts'
import { CLOCK_TOLERANCE_SECONDS, type KeyReader, verifySigned } from './signed.ts'

export type Claims = Record<string, unknown> & { sub: string }

/**
 * The claims of an ID token. `nonce` is null if none is expected, as after a refresh. Throws
 * SignInError `invalid_id_token`.
 */
export async function verifyIdToken(
  id_token: string,
  expected: { issuer: string; client_id: string; nonce: string | null },
  keys: KeyReader,
): Promise<Claims> {
  const { claims } = await verifySigned(id_token, keys, invalid)
  return check(claims, expected)
}

function check(
  claims: Record<string, unknown>,
  { issuer, client_id, nonce }: { issuer: string; client_id: string; nonce: string | null },
): Claims {
  const { iss, aud, azp, exp, iat, sub } = claims
  const now = Date.now() / 1000
  if (iss !== issuer) throw invalid('is from another issuer')
  const is_ours = Array.isArray(aud) ? aud.includes(client_id) : aud === client_id
  if (!is_ours || (azp !== undefined && azp !== client_id)) throw invalid('is for another app')
  if (typeof exp !== 'number' || exp <= now - CLOCK_TOLERANCE_SECONDS) {
    throw invalid('has expired: check the clock of this server')
  }
  if (typeof iat !== 'number' || iat > now + CLOCK_TOLERANCE_SECONDS) {
    throw invalid('is from the future: check the clock of this server')
  }
  if (nonce !== null && claims.nonce !== nonce) throw invalid('is from another sign-in')
  if (typeof sub !== 'string' || sub === '') throw invalid('has no subject')
  return { ...claims, sub }
}

function invalid(what: string): SignInError {
  return failure('invalid_id_token', `The ID token ${what}.`)
}
