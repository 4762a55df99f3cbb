import { RETRY_DAYS } from '#domain/billing'
import type * as catalog from '#domain/catalog'
import type { LicenseStatus } from '#domain/licensing'
import { counted } from '#platform/text'

/** What is done in a scenario, one after the other, once its buyer has bought. */
export type Act =
  /** The clock moves on to whatever is due for the buyer, until the license has this status. */
  { until: LicenseStatus } | { refund: 'full' } | { dispute: 'won' | 'lost' }

/** A scripted story that the test clock can run. */
export interface Scenario {
  name: string
  title: string
  /** What will happen. */
  description: string
  /** The test card that its buyer pays with. */
  card: string
  /** Days of trial where the plan has none. */
  trial_days?: number
  acts: readonly Act[]
}

const GOOD = '4242424242424242'
const NEVER_RENEWS = '4999990000000197'
const STAYS = 'The clock is not advanced.'

/** The test cards that work again on scheduled retry 1, 2 or 3. */
const RECOVERING = {
  '1': '4999990000000114',
  '2': '4999990000000122',
  '3': '4999990000000130',
} as const

/** The scheduled retries on which a card can recover. */
export const RETRIES = Object.keys(RECOVERING).map((retry) => ({
  value: retry,
  label: `Retry ${retry}, ${counted(RETRY_DAYS[Number(retry) - 1]!, 'day')} after the failure`,
}))

/** The scenario that is asked for by its name, with what was chosen for it; undefined: there is none. */
export function scenarioOf(name: string, chosen: { retry?: string }): Scenario | undefined {
  const scenario = SCENARIOS.find((each) => each.name === name)
  if (scenario?.name !== 'recovered') return scenario
  const card = RECOVERING[chosen.retry as keyof typeof RECOVERING]
  return card && { ...scenario, title: `${scenario.title} ${chosen.retry}`, card }
}

/** Every scenario, in the order in which they are offered. */
export const SCENARIOS: readonly Scenario[] = [
  {
    name: 'declined',
    title: 'Renewal declined',
    description:
      'A buyer pays once, and the next renewal is declined. The clock advances by one period, and the license is past due.',
    card: NEVER_RENEWS,
    acts: [{ until: 'past_due' }],
  },
  {
    name: 'recovered',
    title: 'Card recovers on retry',
    description:
      'The renewal is declined, and the retry that you choose succeeds. The same key is active again.',
    card: RECOVERING['1'],
    acts: [{ until: 'past_due' }, { until: 'active' }],
  },
  {
    name: 'exhausted',
    title: 'Dunning exhausted',
    description: `The renewal and every retry are declined. The license is past due, then unpaid, and canceled ${RETRY_DAYS.at(-1)} days after the renewal.`,
    card: NEVER_RENEWS,
    acts: [{ until: 'canceled' }],
  },
  {
    name: 'trial',
    title: 'Trial ends',
    description:
      'A buyer starts a trial (seven days if the plan has none) and gets an email three days before it ends. Then the first period is paid.',
    card: GOOD,
    trial_days: 7,
    acts: [{ until: 'active' }],
  },
  {
    name: 'refund',
    title: 'Refund',
    description: `A buyer pays, and you refund the payment in full. The license is canceled immediately. ${STAYS}`,
    card: GOOD,
    acts: [{ refund: 'full' }],
  },
  {
    name: 'dispute_won',
    title: 'Dispute won',
    description: `A buyer disputes the payment, and the license is paused. The bank decides for you, and the same key works again. ${STAYS}`,
    card: GOOD,
    acts: [{ dispute: 'won' }],
  },
  {
    name: 'dispute_lost',
    title: 'Dispute lost',
    description: `A buyer disputes the payment, and the license is paused. The bank decides for the buyer, and the license is canceled. ${STAYS}`,
    card: GOOD,
    acts: [{ dispute: 'lost' }],
  },
]

/** Whether a scenario is about what comes after the first period, which needs a plan that renews. */
export function needsRenewal({ acts }: Scenario): boolean {
  return acts.some((act) => 'until' in act)
}

/** Whether a scenario can be played with a price. */
export function fits(
  scenario: Scenario,
  { frequency }: Pick<catalog.ProductPrice, 'frequency'>,
): boolean {
  return frequency !== null || !needsRenewal(scenario)
}
