/** The objects of the API, field by field (spec: Resources and their fields). */

export type AppProfile = {
  /** The app's public OAuth client id. */
  client_id: string
  name: string
  tagline: string
  listing_mode: 'marketplace' | 'external'
  /** The seller's registered website. */
  url: string
  /** The app's product page on the service. */
  marketplace_url: string
}

export type Frequency = 'day' | 'week' | 'month' | 'year'

export type Price = {
  /** Opaque, prefix `prc_`: the id inside buy links. */
  public_id: string
  /** Prefix `prod_`: what a license's `product_public_id` names. */
  product_id: string
  /** The plan's display name. */
  product_name: string
  /** A decimal string with two decimals, such as `"12.00"`, before tax. */
  amount: string
  /** A lowercase ISO currency code, such as `usd`. */
  currency: string
  is_recurring: boolean
  /** Null for a one-time price. */
  frequency: Frequency | null
  /** A ready-made hosted checkout link for this price. */
  buy_url: string
}

export type Prices = {
  client_id: string
  app_name: string
  /** True when the app offers a free plan. Free plans have no price rows. */
  has_free_tier: boolean
  prices: Price[]
}

/**
 * `preview` is the developer's own preview of the purchase: entitled, and never charged. A newer
 * service may send a status that is not listed: gate on `entitled`.
 */
export type LicenseStatus =
  | 'active'
  | 'trialing'
  | 'one_time_active'
  | 'past_due'
  | 'unpaid'
  | 'paused'
  | 'canceled'
  | 'preview'

export type LicenseState = {
  /** True if the key may use the app right now. Gate on this. */
  entitled: boolean
  status: LicenseStatus
  /** Prefix `lic_`: stable, and what `regenerateKey` takes. */
  license_id: string
  /** The current plan; equal to `product_public_id`. */
  product_id: string
  /** The current plan, prefix `prod_`. It changes with a plan change. */
  product_public_id: string
  /** `YYYY-MM-DD` in UTC, or null when nothing ends (one-time and preview). */
  period_end: string | null
  /** `YYYY-MM-DD` in UTC: the day the license ends or ended, or null while it renews. */
  canceled_at: string | null
}

/** A validated license. */
export type ValidatedLicense = LicenseState & {
  /** A signed statement for `verifyLease`; only if requested and the license is entitled. */
  lease?: string
}

/** A completed order: the license and its key. */
export type OrderLicense = LicenseState & { license_key: string }

/** `preview` is the developer's own preview; `none` is no license and no free plan. */
export type EntitlementStatus =
  | 'active'
  | 'trialing'
  | 'one_time_active'
  | 'free'
  | 'preview'
  | 'none'

/** What a signed-in user may use. It contains no `sub`: identity comes from the sign-in. */
export type Entitlement = {
  /** True if the user may use the app: a live license, or the free plan. */
  entitled: boolean
  /** The plan's display name, which may change. */
  version: string
  /** The plan, prefix `prod_`, which never changes. Gate features on this. */
  product_public_id: string
  product_id: string
  status: EntitlementStatus
  is_free: boolean
  /** `YYYY-MM-DD` in UTC, or null. */
  period_end: string | null
}

/** An order whose payment is pending; retry after `retry_after` seconds. */
export type ProcessingOrder = { status: 'processing'; retry_after: number }

/** The license with its new key, shown once. The old key no longer works. */
export type RegeneratedKey = LicenseState & { license_key: string; rotated_at: string }
