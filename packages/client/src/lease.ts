/** Leases: signed results of `validate`, for apps that start offline. */
import { LeaseError } from './errors.ts'
import { trimKey } from './key.ts'
import { serviceAddress } from './links.ts'
import { CLOCK_TOLERANCE_SECONDS, type PublicKey, sha256, verifySigned } from './signed.ts'
import type { LicenseStatus } from './types.ts'

export type LeaseRequest = {
  /** How long it is valid: 60 to 259,200 seconds (3 days). Default 86,400. */
  seconds?: number | undefined
  /** Your name of the device that it is for, up to 200 characters. */
  device?: string | undefined
}

/** A license as a lease states it. */
export type Lease = {
  license_id: string
  product_public_id: string
  status: LicenseStatus
  /** `YYYY-MM-DD` in UTC, or null. */
  period_end: string | null
  device: string | null
  issued_at: Date
  expires_at: Date
}

export type LeaseExpectations = {
  /** The URL of the service, as for `createClient`. */
  base_url: string
  client_id: string
  /** The key that the app stores: a lease of another key is refused. */
  license_key: string
  /** The device that the app runs on; required if the lease was requested with one. */
  device?: string | undefined
  /** From `leaseKeys`, stored when there was a network or shipped with the app. */
  keys: readonly PublicKey[]
  /** Default: the clock of the machine. */
  now?: Date | undefined
}

/**
 * Verifies a lease offline: it gives the right to use the app until `expires_at`. Throws
 * LeaseError `lease_expired`, or `invalid_lease` for one that is forged, of another app, license
 * key or device, or signed with a key that is not among `keys`.
 */
export async function verifyLease(lease: string, expected: LeaseExpectations): Promise<Lease> {
  const { header, claims } = await verifySigned(lease, async () => expected.keys, invalid)
  if (header.typ !== 'license-lease+jwt') throw invalid('is another kind of token')
  if (claims.iss !== serviceAddress(expected.base_url)) throw invalid('is of another service')
  if (claims.aud !== expected.client_id) throw invalid('is for another app')
  if (claims.key_hash !== (await sha256(trimKey(expected.license_key)))) {
    throw invalid('is for another license key')
  }
  if (claims.device !== expected.device) throw invalid('is for another device')
  const { iat, exp } = claims
  if (typeof iat !== 'number' || typeof exp !== 'number') throw invalid('has no times')
  const now = (expected.now ?? new Date()).getTime() / 1000
  if (iat > now + CLOCK_TOLERANCE_SECONDS) {
    throw invalid('is from the future: check the clock of this machine')
  }
  if (exp <= now) throw failure('lease_expired', 'The lease has expired. Validate the license key.')
  return {
    license_id: String(claims.license_id),
    product_public_id: String(claims.product_public_id),
    status: claims.status as LicenseStatus,
    period_end: typeof claims.period_end === 'string' ? claims.period_end : null,
    device: expected.device ?? null,
    issued_at: new Date(iat * 1000),
    expires_at: new Date(exp * 1000),
  }
}

function invalid(what: string): LeaseError {
  return failure('invalid_lease', `The lease ${what}.`)
}

function failure(code: 'invalid_lease' | 'lease_expired', message: string): LeaseError {
  return new LeaseError(message, { code })
}
