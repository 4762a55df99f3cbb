import { isoDate } from '#platform/calendar'
import type { ProductId } from '#platform/ids'
import { isEntitled, type LicenseStatus } from './status.ts'

/** Every status of an entitlement (spec: States and transitions). */
export const ENTITLEMENT_STATUSES = [
  'active',
  'trialing',
  'one_time_active',
  'free',
  'preview',
  'none',
] as const

/** Whether a person may use an app now (spec: Entitlement). */
export interface Entitlement {
  entitled: boolean
  /** The plan's name, for display; empty if there is no plan. */
  version: string
  product_public_id: ProductId | ''
  product_id: ProductId | ''
  status: (typeof ENTITLEMENT_STATUSES)[number]
  is_free: boolean
  /** A day in UTC, `YYYY-MM-DD`. */
  period_end: string | null
}

/** The stored facts of a person and an app: their license, and the app's free plan. */
export interface EntitlementFacts {
  license:
    | {
        status: LicenseStatus
        period_end: Date | null
        product_id: ProductId
        product_name: string
      }
    | undefined
  free: { product_id: ProductId; product_name: string } | undefined
}

/** The license's entitlement while it entitles; otherwise the free plan's, if there is one. */
export function entitlementOf({ license, free }: EntitlementFacts): Entitlement {
  if (license && isEntitled(license.status)) {
    // The statuses that `isEntitled` accepts are statuses of an entitlement as well.
    const status = license.status as Entitlement['status']
    const period_end = license.period_end && isoDate(license.period_end)
    return { entitled: true, ...plan(license), status, is_free: false, period_end }
  }
  if (free) {
    return { entitled: true, ...plan(free), status: 'free', is_free: true, period_end: null }
  }
  const nothing = { product_id: '', product_name: '' } as const
  return { entitled: false, ...plan(nothing), status: 'none', is_free: false, period_end: null }
}

function plan({ product_id, product_name }: { product_id: ProductId | ''; product_name: string }) {
  return { version: product_name, product_public_id: product_id, product_id }
}
