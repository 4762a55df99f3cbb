/** Every status a license can have (spec: States and transitions). */
export const LICENSE_STATUSES = [
  'active',
  'trialing',
  'one_time_active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
  'preview',
] as const
export type LicenseStatus = (typeof LICENSE_STATUSES)[number]

const ENTITLED: readonly LicenseStatus[] = ['active', 'trialing', 'one_time_active', 'preview']

/** Whether a license of this status may use the app. */
export function isEntitled(status: LicenseStatus): boolean {
  return ENTITLED.includes(status)
}

/** The statuses of a subscription in good standing: paid for, or in its trial. */
export const RUNNING = ['active', 'trialing'] as const
/** The statuses of a subscription with a failed payment, which is retried. */
export const IN_DUNNING = ['past_due', 'unpaid'] as const

/** Whether a subscription of this status is in good standing. */
export function isRunning(status: LicenseStatus): status is (typeof RUNNING)[number] {
  return RUNNING.some((each) => each === status)
}

/** Whether a payment for a license of this status failed and is retried. */
export function isInDunning(status: LicenseStatus): boolean {
  return IN_DUNNING.some((each) => each === status)
}

/** Where a buy link takes the owner of a license with this status. */
export type OwnerRoute = 'back_to_app' | 'update_card' | 'explain_pause' | 'buy'

/** No buyer is charged twice: only a canceled license can be bought again (spec: rule 3). */
export function ownerRoute(status: LicenseStatus): OwnerRoute {
  if (isInDunning(status)) return 'update_card'
  if (status === 'paused') return 'explain_pause'
  return status === 'canceled' || status === 'preview' ? 'buy' : 'back_to_app'
}
