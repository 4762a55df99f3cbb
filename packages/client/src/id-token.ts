/** ID tokens by OpenID Connect Core 1.0, section 3.1.3.7: signed by the issuer, for this app. */
import { SignInError } from './errors.ts'

export type Claims = Record<string, unknown> & { sub: string }

/** A public key of the issuer, as its JWKS has it. */
export type PublicKey = JsonWebKey & { kid?: string }

/** The keys of the issuer; `again` reads them once more, for a key that was just published. */
export type KeyReader = (again: boolean) => Promise<PublicKey[]>

const CLOCK_TOLERANCE_SECONDS = 60

/**
 * The claims of an ID token. `nonce` is null where none is expected, as after a refresh. Throws
 * SignInError `invalid_id_token`.
 */
export async function verifyIdToken(
  id_token: string,
  expected: { issuer: string; client_id: string; nonce: string | null },
  keys: KeyReader,
): Promise<Claims> {
  const [head, payload, signature, ...rest] = id_token.split('.')
  if (!head || !payload || !signature || rest.length > 0) throw invalid('is not a signed token')
  const header = jsonOf(head)
  if (header.alg !== 'RS256') throw invalid('is not signed with RS256')
  const key = await findKey(keys, header.kid)
  const is_signed = await crypto.subtle.verify(
    'RSASSA-PKCS1-v1_5',
    key,
    bytesOf(signature),
    new TextEncoder().encode(`${head}.${payload}`),
  )
  if (!is_signed) throw invalid('has a wrong signature')
  return check(jsonOf(payload), expected)
}

function check(
  claims: Record<string, unknown>,
  { issuer, client_id, nonce }: { issuer: string; client_id: string; nonce: string | null },
): Claims {
  const { iss, aud, azp, exp, iat, sub } = claims
  const now = Date.now() / 1000
  if (iss !== issuer) throw invalid('is of another issuer')
  const is_ours = Array.isArray(aud) ? aud.includes(client_id) : aud === client_id
  if (!is_ours || (azp !== undefined && azp !== client_id)) throw invalid('is for another app')
  if (typeof exp !== 'number' || exp <= now - CLOCK_TOLERANCE_SECONDS) throw invalid('has expired')
  if (typeof iat !== 'number' || iat > now + CLOCK_TOLERANCE_SECONDS) {
    throw invalid('is from the future: check the clock of this server')
  }
  if (nonce !== null && claims.nonce !== nonce) throw invalid('is of another sign-in')
  if (typeof sub !== 'string' || sub === '') throw invalid('names no person')
  return { ...claims, sub }
}

async function findKey(keys: KeyReader, kid: unknown): Promise<CryptoKey> {
  const find = (list: PublicKey[]) =>
    list.find((each) => each.kty === 'RSA' && each.use !== 'enc' && each.kid === kid)
  const jwk = find(await keys(false)) ?? find(await keys(true))
  if (!jwk) throw invalid('is signed with a key that the issuer does not publish')
  const algorithm = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  // Only what the key is made of: runtimes refuse a key whose other members do not suit them.
  const { kty, n, e } = jwk
  return await crypto.subtle
    .importKey('jwk', { kty, n, e } as JsonWebKey, algorithm, false, ['verify'])
    .catch(() => Promise.reject(invalid('is signed with a malformed key')))
}

function jsonOf(part: string): Record<string, unknown> {
  try {
    return Object(JSON.parse(new TextDecoder().decode(bytesOf(part))))
  } catch {
    throw invalid('is malformed')
  }
}

function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  try {
    const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
    return Uint8Array.from(binary, (each) => each.charCodeAt(0))
  } catch {
    throw invalid('is malformed')
  }
}

/** Bytes in base64url, without padding. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

function invalid(what: string): SignInError {
  return new SignInError(`The ID token ${what}.`, {
    status: null,
    code: 'invalid_id_token',
    request_id: null,
  })
}
