/** Tokens that are signed with RS256 (RFC 7515), verified with the issuer's published keys. */

/**
 * A public key of the issuer, as its JWKS has it. Not JsonWebKey: projects without the types of
 * browsers have no such global type.
 */
export type PublicKey = {
  kty?: string
  kid?: string
  use?: string
  alg?: string
  n?: string
  e?: string
}

/** The keys of the issuer; `again` reads them once more, for a key that was just published. */
export type KeyReader = (again: boolean) => Promise<readonly PublicKey[]>

/** The error of a token that is not valid, which ends a sentence that begins with its name. */
export type Invalid = (what: string) => Error

export const CLOCK_TOLERANCE_SECONDS = 60

/** The header and the claims of a token with a valid signature. Throws what `invalid` returns. */
export async function verifySigned(
  token: string,
  keys: KeyReader,
  invalid: Invalid,
): Promise<{ header: Record<string, unknown>; claims: Record<string, unknown> }> {
  const [head, payload, signature, ...rest] = token.split('.')
  if (!head || !payload || !signature || rest.length > 0) throw invalid('is not a signed token')
  const header = decode(head, jsonOf, invalid)
  if (header.alg !== 'RS256') throw invalid('is not signed with RS256')
  const key = await findKey(keys, header.kid, invalid)
  const is_signed = await crypto.subtle.verify(
    'RSASSA-PKCS1-v1_5',
    key,
    decode(signature, bytesOf, invalid),
    new TextEncoder().encode(`${head}.${payload}`),
  )
  if (!is_signed) throw invalid('has a wrong signature')
  return { header, claims: decode(payload, jsonOf, invalid) }
}

async function findKey(keys: KeyReader, kid: unknown, invalid: Invalid): Promise<CryptoKey> {
  const find = (list: readonly PublicKey[]) =>
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

function decode<Value>(part: string, read: (text: string) => Value, invalid: Invalid): Value {
  try {
    return read(part)
  } catch {
    throw invalid('is malformed')
  }
}

/** The bytes of base64url. Throws for what is none. */
function bytesOf(text: string): Uint8Array<ArrayBuffer> {
  const binary = atob(text.replaceAll('-', '+').replaceAll('_', '/'))
  return Uint8Array.from(binary, (each) => each.charCodeAt(0))
}

/** The object of JSON in base64url. Throws for what is none. */
export function jsonOf(text: string): Record<string, unknown> {
  return Object(JSON.parse(new TextDecoder().decode(bytesOf(text))))
}

/** Bytes in base64url, without padding. */
export function base64url(bytes: Uint8Array): string {
  return btoa(String.fromCharCode(...bytes))
    .replaceAll('+', '-')
    .replaceAll('/', '_')
    .replaceAll('=', '')
}

/** The SHA-256 of a text, in base64url. */
export async function sha256(text: string): Promise<string> {
  const bytes = new TextEncoder().encode(text)
  return base64url(new Uint8Array(await crypto.subtle.digest('SHA-256', bytes)))
}
