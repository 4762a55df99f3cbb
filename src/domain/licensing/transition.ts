import { IN_DUNNING, type LicenseStatus, RUNNING } from './status.ts'

/** What can happen to a license once it exists. */
export type Trigger =
  | 'renewed'
  | 'upgraded'
  | 'plan_changed'
  | 'trial_extended'
  | 'renewal_failed'
  | 'retries_ended'
  | 'recovered'
  | 'dunning_exhausted'
  | 'period_ended'
  | 'refunded'
  | 'disputed'
  | 'suspended'
  | 'buyer_paused'
  | 'resumed'
  | 'dispute_lost'
  | 'preview_ended'
  | 'comp_ended'
  | 'import_changed'
  | 'import_ended'
  | 'source_ended'
  | 'continued'
  | 'account_deleted'

/** Why a license is created. */
export type Beginning = 'purchase' | 'preview' | 'comp' | 'import'

/** Whether nothing is charged for a license of this origin: no order, invoice or subscription. */
export function isUncharged(origin: Beginning): origin is 'comp' | 'import' {
  return origin === 'comp' || origin === 'import'
}

/** Why a license for which nothing is charged ends. */
export function endOfUncharged(origin: Beginning): Trigger {
  return origin === 'import' ? 'import_ended' : 'comp_ended'
}

/** How a license is created: its first status, and why. */
export const BEGINNINGS: readonly { trigger: Beginning; to: LicenseStatus }[] = [
  { trigger: 'purchase', to: 'active' },
  { trigger: 'purchase', to: 'trialing' },
  { trigger: 'purchase', to: 'one_time_active' },
  { trigger: 'preview', to: 'preview' },
  // With an end, and without one.
  { trigger: 'comp', to: 'active' },
  { trigger: 'comp', to: 'one_time_active' },
  // Sold by another service: until the end of what was paid there, or without an end.
  { trigger: 'import', to: 'active' },
  { trigger: 'import', to: 'one_time_active' },
]

type TransitionRow = readonly [
  trigger: Trigger,
  from: readonly LicenseStatus[],
  to: readonly LicenseStatus[],
]

const PAID = [...RUNNING, 'one_time_active', ...IN_DUNNING] as const

/**
 * Every transition (spec: States and transitions). There is no other: `canceled` is final, and a
 * resumed license returns to the status that its pause interrupted.
 */
const TABLE: readonly TransitionRow[] = [
  ['renewed', RUNNING, ['active']],
  ['upgraded', RUNNING, ['active', 'one_time_active']],
  ['plan_changed', ['trialing'], ['trialing']],
  ['trial_extended', ['trialing'], ['trialing']],
  ['renewal_failed', RUNNING, ['past_due']],
  ['retries_ended', ['past_due'], ['unpaid']],
  ['recovered', IN_DUNNING, ['active']],
  ['dunning_exhausted', IN_DUNNING, ['canceled']],
  ['period_ended', [...RUNNING, ...IN_DUNNING, 'paused'], ['canceled']],
  ['refunded', [...PAID, 'paused'], ['canceled']],
  ['disputed', PAID, ['paused']],
  ['suspended', PAID, ['paused']],
  ['buyer_paused', ['active'], ['paused']],
  ['resumed', ['paused'], PAID],
  ['dispute_lost', [...PAID, 'paused'], ['canceled']],
  ['preview_ended', ['preview'], ['canceled']],
  ['comp_ended', ['active', 'one_time_active', 'paused'], ['canceled']],
  ['import_changed', ['active', 'one_time_active'], ['active', 'one_time_active']],
  ['import_ended', ['active', 'one_time_active', 'paused'], ['canceled']],
  // A newer file of the service that sold it says so.
  ['source_ended', ['active', 'one_time_active', 'paused'], ['canceled']],
  // Its buyer added a card before the end of what was paid at another service.
  ['continued', ['active'], ['active']],
  ['account_deleted', [...PAID, 'paused'], ['canceled']],
]

/** One transition of the table. */
export interface Transition {
  trigger: Trigger
  from: LicenseStatus
  to: LicenseStatus
}

/** Every transition, spelled out. */
export const TRANSITIONS: readonly Transition[] = TABLE.flatMap(([trigger, from, to]) =>
  from.flatMap((each) => to.map((end) => ({ trigger, from: each, to: end }))),
)

/** Whether a license may make this transition. */
export function mayTransition({ trigger, from, to }: Transition): boolean {
  return TRANSITIONS.some(
    (step) => step.trigger === trigger && step.from === from && step.to === to,
  )
}
