import { addSeconds, isoDate } from '#platform/calendar'
import { sha256 } from '#platform/secrets'
import { type LicenseFacts, stateOf } from './state.ts'

/** A request for a lease: its length, and the device. */
export interface LeaseRequest {
  seconds: number
  device?: string | undefined
}

/** The content of a lease, besides its issuer, app and expiry. */
export interface LeaseContent {
  license_id: string
  product_public_id: string
  status: string
  period_end: string | null
  /** SHA-256 of the key in base64url: the app compares it with the key that it stores. */
  key_hash: string
  device?: string
}

/** The length of a lease while the period is over and its renewal is being paid. */
const WHILE_RENEWING_SECONDS = 3600

/**
 * When a lease that is given now ends: after the requested seconds, and not after the license's
 * period. Undefined if the license is not entitled, as it then gets no lease.
 */
export function leaseEnd(
  now: Date,
  license: LicenseFacts,
  { seconds }: LeaseRequest,
): Date | undefined {
  if (!stateOf(license).entitled) return undefined
  const { period_end } = license
  const requested = addSeconds(now, seconds)
  const latest =
    period_end && period_end <= now ? addSeconds(now, WHILE_RENEWING_SECONDS) : period_end
  return latest && latest < requested ? latest : requested
}

/** The content of a license's lease. */
export function leaseContent(
  license: LicenseFacts,
  license_key: string,
  { device }: LeaseRequest,
): LeaseContent {
  const { license_id, product_id, status, period_end } = license
  return {
    license_id,
    product_public_id: product_id,
    status,
    period_end: period_end && isoDate(period_end),
    key_hash: sha256(license_key).toString('base64url'),
    ...(device === undefined ? {} : { device }),
  }
}
