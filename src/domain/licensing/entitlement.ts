import { isoDate } from '#platform/calendar'
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

/** What a person may do with an app right now (spec: Entitlement). */
export interface Entitlement {
  entitled: boolean
  /** The plan's name, for display; empty where there is no plan. */
  version: string
  product_public_id: string
  product_id: string
  status: (typeof ENTITLEMENT_STATUSES)[number]
  is_free: boolean
  /** A day in UTC, `YYYY-MM-DD`. */
  period_end: string | null
}

/** What is stored of a person and an app: the license there is, and the app's free plan. */
export interface HeldLicense {
  license:
    | { status: LicenseStatus; period_end: Date | null; product_id: string; product_name: string }
    | undefined
  free: { product_id: string; product_name: string } | undefined
}

/** The license counts while it entitles; otherwise the free plan does, where there is one. */
export function entitlementOf({ license, free }: HeldLicense): Entitlement {
  if (license && isEntitled(license.status)) {
    // What `isEntitled` lets through are statuses of an entitlement as well.
    const status = license.status as Entitlement['status']
    const period_end = license.period_end && isoDate(license.period_end)
    return { entitled: true, ...plan(license), status, is_free: false, period_end }
  }
  if (free) {
    return { entitled: true, ...plan(free), status: 'free', is_free: true, period_end: null }
  }
  const nothing = { product_id: '', product_name: '' }
  return { entitled: false, ...plan(nothing), status: 'none', is_free: false, period_end: null }
}

function plan({ product_id, product_name }: { product_id: string; product_name: string }) {
  return { version: product_name, product_public_id: product_id, product_id }
}
