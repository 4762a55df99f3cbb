/** What the test double knows: plans, licenses, orders, people, and a clock. */
import type { EntitlementStatus, Frequency, LicenseState, LicenseStatus } from '../types.ts'

/** A plan of the app. A plan without prices is free. */
export type TestPlan = {
  /** Prefix `prod_`. */
  product_public_id: string
  name: string
  prices: readonly { public_id: string; amount: string; frequency: Frequency | null }[]
}

/** A license; a test may change it at any time. */
export type TestLicense = {
  readonly license_id: string
  /** Regeneration replaces it. */
  license_key: string
  status: LicenseStatus
  product_public_id: string
  /** The end of the period, or null. While a license renews, the clock moves it on. */
  period_end: Date | null
  /**
   * When the license ends, or null while it renews. At that time it becomes `canceled`. A license
   * whose status you set to `canceled` ends now.
   */
  canceled_at: Date | null
}

/**
 * A person who can sign in. Without an entitled license they have the free plan, if there is one.
 */
export type TestPerson = { readonly sub: string; license: TestLicense | null }

/** An order; it is processing until `lands_at`. */
export type TestOrder = { ref: string; license: TestLicense; lands_at: number; expires_at: number }

export type Facts = {
  now(): number
  plans: readonly TestPlan[]
  licenses: TestLicense[]
  orders: TestOrder[]
  people: TestPerson[]
  /** Repeated regenerations, by license and idempotency key. */
  rotations: Map<string, { state: object; until: number }>
  /** False turns hosted sign-in's add-on off. */
  add_on: { enabled: boolean }
}

const ENTITLED: readonly LicenseStatus[] = ['active', 'trialing', 'one_time_active', 'preview']
export const DAY_MS = 86_400_000
export const PERIOD_MS = 30 * DAY_MS

/** Random text after a prefix, as the ids and keys of the service. */
export function mint(prefix: string, length = 22): string {
  const alphabet = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz'
  const bytes = crypto.getRandomValues(new Uint8Array(length))
  return `${prefix}_${Array.from(bytes, (byte) => alphabet[byte % alphabet.length]).join('')}`
}

/** The state of a license at this time, on the wire. */
export function stateOf(license: TestLicense, now: number): LicenseState {
  advance(license, now)
  const { license_id, status, product_public_id, period_end, canceled_at } = license
  return {
    entitled: ENTITLED.includes(status),
    status,
    license_id,
    product_id: product_public_id,
    product_public_id,
    period_end: dayOf(period_end),
    canceled_at: dayOf(canceled_at),
  }
}

/** Ends a license that is due to end, or starts the period that has begun. */
function advance(license: TestLicense, now: number): void {
  const { canceled_at, period_end, status } = license
  const ends_at = canceled_at?.getTime() ?? Number.POSITIVE_INFINITY
  if (ends_at <= now) license.status = 'canceled'
  // A test that refunds a license sets its status only.
  else if (status === 'canceled') license.canceled_at = new Date(now)
  if (canceled_at || !period_end || (status !== 'active' && status !== 'trialing')) return
  let end = period_end.getTime()
  if (end > now) return
  while (end <= now) end += PERIOD_MS
  license.period_end = new Date(end)
  license.status = 'active'
}

/** The entitlement of a person at this time, on the wire. */
export function entitlementOf({ license }: TestPerson, { plans, now }: Facts) {
  const state = license && stateOf(license, now())
  const isOwned = state?.entitled ?? false
  const plan = isOwned
    ? plans.find((each) => each.product_public_id === state?.product_public_id)
    : plans.find((each) => each.prices.length === 0)
  const product_public_id = plan?.product_public_id ?? ''
  const status = isOwned ? state?.status : plan ? 'free' : 'none'
  return {
    entitled: plan !== undefined,
    version: plan?.name ?? '',
    product_public_id,
    product_id: product_public_id,
    status: status as EntitlementStatus,
    is_free: !isOwned && plan !== undefined,
    period_end: isOwned ? (state?.period_end ?? null) : null,
  }
}

function dayOf(date: Date | null): string | null {
  return date?.toISOString().slice(0, 10) ?? null
}
