import { compactVerify, createLocalJWKSet, decodeJwt, decodeProtectedHeader } from 'jose'
import type { SigningKey } from '#domain/grants'

/** What an ID token hint says about its subject. */
export type Hint = { client_id: string; sub: string; sid?: string } | 'unknown' | 'forged'

/**
 * Reads an ID token of this service, expired or not, that an app sends to sign a person out. The
 * result is `unknown` if the signing key was deleted, so that the signature cannot be checked.
 */
export async function readHint(text: string, issuer: string, keys: SigningKey[]): Promise<Hint> {
  try {
    const { kid } = decodeProtectedHeader(text)
    const { aud, iss, sub, sid } = decodeJwt(text)
    const isComplete = typeof aud === 'string' && typeof sub === 'string' && kid !== undefined
    if (iss !== issuer || !isComplete) return 'forged'
    if (!keys.some(({ id }) => id === kid)) return 'unknown'
    const published = createLocalJWKSet({ keys: keys.map(({ jwk }) => publicPart(jwk)) })
    await compactVerify(text, published, { algorithms: ['RS256'] })
    return { client_id: aud, sub, ...(typeof sid === 'string' ? { sid } : {}) }
  } catch {
    return 'forged'
  }
}

function publicPart({ kty, n, e, kid, alg, use }: Record<string, string>) {
  return { kty: kty!, n, e, kid, alg, use }
}
