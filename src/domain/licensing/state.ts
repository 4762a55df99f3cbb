import { isoDate } from '#platform/calendar'
import type { LicenseId, ProductId } from '#platform/ids'
import { isEntitled, type LicenseStatus } from './status.ts'

/** The stored facts of a license that decide its state. */
export interface LicenseFacts {
  license_id: LicenseId
  product_id: ProductId
  status: LicenseStatus
  period_end: Date | null
  canceled_at: Date | null
}

/** A license as the license key endpoints return it (spec: LicenseState). */
export interface LicenseState {
  entitled: boolean
  status: LicenseStatus
  license_id: LicenseId
  product_id: ProductId
  product_public_id: ProductId
  /** Days in UTC, `YYYY-MM-DD`. */
  period_end: string | null
  canceled_at: string | null
}

/** The state of a license. */
export function stateOf(license: LicenseFacts): LicenseState {
  return {
    entitled: isEntitled(license.status),
    status: license.status,
    license_id: license.license_id,
    product_id: license.product_id,
    product_public_id: license.product_id,
    period_end: license.period_end && isoDate(license.period_end),
    canceled_at: license.canceled_at && isoDate(license.canceled_at),
  }
}
