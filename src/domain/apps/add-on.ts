import { periodEnd } from '#platform/calendar'

/** When the hosted sign-in add-on was first enabled, and when it was disabled, if it is. */
export interface AddOnDates {
  addon_enabled_at: Date | null
  addon_disabled_at: Date | null
}

/** The fields of `AddOnDates`. */
export const ADD_ON_DATES = { addon_enabled_at: true, addon_disabled_at: true } as const

/** The state of the hosted sign-in add-on of an app. */
export interface AddOn {
  is_on: boolean
  /** The end of the free months; null if it was never enabled. */
  trial_ends_at: Date | null
  /** True while sales pay for it: it is enabled, and the free months are over. */
  is_charged: boolean
}

const FREE_MONTHS = 3

/**
 * The state of the add-on (spec: What the service does, 6): three months free, counted once from
 * the first time it was enabled, even if it was disabled since.
 */
export function addOnOf(now: Date, dates: AddOnDates): AddOn {
  const { addon_enabled_at, addon_disabled_at } = dates
  if (addon_enabled_at === null) return { is_on: false, trial_ends_at: null, is_charged: false }
  const trial_ends_at = periodEnd(addon_enabled_at, 'month', FREE_MONTHS)
  const is_on = addon_disabled_at === null
  return { is_on, trial_ends_at, is_charged: is_on && now >= trial_ends_at }
}
