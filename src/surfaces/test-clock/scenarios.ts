import { RETRY_DAYS } from '#domain/billing'
import type * as catalog from '#domain/catalog'
import type { LicenseStatus } from '#domain/licensing'
import { counted } from '#platform/text'

/** A step of a scenario after the purchase. */
export type ScenarioStep =
  /** Advance the clock to the buyer's due events until the license has this status. */
  { until: LicenseStatus } | { refund: 'full' } | { dispute: 'won' | 'lost' }

/** A scenario that the test clock can run. */
export interface Scenario {
  name: string
  title: string
  /** What happens, for the seller to read. */
  description: string
  /** The test card that the buyer pays with. */
  card: string
  /** Trial days if the plan has no trial. */
  trial_days?: number
  steps: readonly ScenarioStep[]
}

const WORKING = '4242424242424242'
const NEVER_RENEWS = '4999990000000197'
const NOT_ADVANCED = 'The clock is not advanced.'

/** The test cards that recover on scheduled retry 1, 2 or 3. */
const RECOVERING = {
  '1': '4999990000000114',
  '2': '4999990000000122',
  '3': '4999990000000130',
} as const

/** The scheduled retries on which a card can recover, as options of a select. */
export const RETRIES = Object.keys(RECOVERING).map((retry) => ({
  value: retry,
  label: `Retry ${retry}, ${counted(RETRY_DAYS[Number(retry) - 1]!, 'day')} after the failure`,
}))

/** The scenario of this name with the chosen retry; undefined if the name or retry is unknown. */
export function scenarioOf(name: string, chosen: { retry?: string }): Scenario | undefined {
  const scenario = SCENARIOS.find((each) => each.name === name)
  if (scenario?.name !== 'recovered') return scenario
  const card = RECOVERING[chosen.retry as keyof typeof RECOVERING]
  return card && { ...scenario, title: `${scenario.title} ${chosen.retry}`, card }
}

/** Every scenario, in the order of the page. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'declined',
    title: 'Renewal declined',
    description:
      'A buyer pays once, and the next renewal is declined. The clock advances by one period, and the license is past due.',
    card: NEVER_RENEWS,
    steps: [{ until: 'past_due' }],
  },
  {
    name: 'recovered',
    title: 'Card recovers on retry',
    description:
      'The renewal is declined, and the retry that you choose succeeds. The same key is active again.',
    card: RECOVERING['1'],
    steps: [{ until: 'past_due' }, { until: 'active' }],
  },
  {
    name: 'exhausted',
    title: 'Dunning exhausted',
    description: `The renewal and every retry are declined. The license is past due, then unpaid, and canceled ${RETRY_DAYS.at(-1)} days after the renewal.`,
    card: NEVER_RENEWS,
    steps: [{ until: 'canceled' }],
  },
  {
    name: 'trial',
    title: 'Trial ends',
    description:
      'A buyer starts a trial (seven days if the plan has none) and gets an email three days before it ends. Then the first period is paid.',
    card: WORKING,
    trial_days: 7,
    steps: [{ until: 'active' }],
  },
  {
    name: 'refund',
    title: 'Refund',
    description: `A buyer pays, and you refund the payment in full. The license is canceled immediately. ${NOT_ADVANCED}`,
    card: WORKING,
    steps: [{ refund: 'full' }],
  },
  {
    name: 'dispute_won',
    title: 'Dispute won',
    description: `A buyer disputes the payment, and the license is paused. The bank decides for you, and the same key works again. ${NOT_ADVANCED}`,
    card: WORKING,
    steps: [{ dispute: 'won' }],
  },
  {
    name: 'dispute_lost',
    title: 'Dispute lost',
    description: `A buyer disputes the payment, and the license is paused. The bank decides for the buyer, and the license is canceled. ${NOT_ADVANCED}`,
    card: WORKING,
    steps: [{ dispute: 'lost' }],
  },
]

/** Whether a scenario has a retry to choose. */
export function hasRetryChoice({ name }: Pick<Scenario, 'name'>): boolean {
  return name === 'recovered'
}

/** Whether a scenario goes beyond the first period and so needs a plan that renews. */
export function needsRenewal({ steps }: Scenario): boolean {
  return steps.some((step) => 'until' in step)
}

/** Whether a scenario can buy this price. */
export function canBuyPrice(
  scenario: Scenario,
  { frequency }: Pick<catalog.ProductPrice, 'frequency'>,
): boolean {
  return frequency !== null || !needsRenewal(scenario)
}
