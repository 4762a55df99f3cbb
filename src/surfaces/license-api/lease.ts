import { importJWK, SignJWT } from 'jose'
import * as grants from '#domain/grants'
import * as licensing from '#domain/licensing'
import type { ReadSigningKeys } from '#flows/signing-keys'
import type { World } from '#flows/world'

/** Sets a lease apart from an ID token, which the same keys sign (RFC 8725, 3.11). */
const TYPE = 'license-lease+jwt'
const ALGORITHM = 'RS256'

/** A validated license of which a lease is requested. */
interface Leased {
  client_id: string
  license: licensing.LicenseFacts
  license_key: string
  request: licensing.LeaseRequest
}

/**
 * Returns a function that signs a lease: a signed statement, to be verified offline, that a key may
 * be used until a given time (decision 141). Undefined if the license is not entitled.
 */
export function openLeases({ config, clock }: World, readKeys: ReadSigningKeys) {
  let imported: { id: string; key: ReturnType<typeof importJWK> } | undefined
  return async ({ client_id, license, license_key, request }: Leased) => {
    const now = clock.now()
    const end = licensing.leaseEnd(now, license, request)
    if (!end) return undefined
    const { signing } = await readKeys()
    const { id, jwk } = grants.orderKeys(now, signing).published[0]!
    if (imported?.id !== id) imported = { id, key: importJWK(jwk, ALGORITHM) }
    const content = licensing.leaseContent(license, license_key, request)
    return await new SignJWT({ ...content })
      .setProtectedHeader({ alg: ALGORITHM, typ: TYPE, kid: id })
      .setIssuer(config.base_url)
      .setAudience(client_id)
      .setIssuedAt(now)
      .setExpirationTime(end)
      .sign(await imported.key)
  }
}
