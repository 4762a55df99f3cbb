import { z } from 'zod'
import type { TimelineEvent } from '#domain/billing'
import { LICENSE_STATUSES } from '#domain/licensing'
import { eventText } from '#http/timeline-labels'
import { isoSeconds } from '#platform/calendar'
import { formatAmount } from '#platform/money'
import { needsRenewal, RETRIES, SCENARIOS } from './scenarios.ts'

/** The most events of one response. */
export const MOST_EVENTS = 200

const NAMES = SCENARIOS.map(({ name }) => name)
const RETRY_VALUES = RETRIES.map(({ value }) => value)

export const ScenarioList = z
  .strictObject({
    scenarios: z.array(
      z.strictObject({
        name: z.string().describe('The value of `scenario`.'),
        title: z.string(),
        description: z.string().describe('What happens.'),
        needs_renewal: z.boolean().describe('True if the price must be a recurring one.'),
        retries: z.array(z.string()).describe('The values of `retry`, where one is needed.'),
      }),
    ),
  })
  .meta({ id: 'ScenarioList' })

/** Every scenario, as a response. */
export function writeScenarios(): z.infer<typeof ScenarioList> {
  const scenarios = SCENARIOS.map((scenario) => {
    const { name, title, description } = scenario
    const retries = name === 'recovered' ? RETRY_VALUES : []
    return { name, title, description, needs_renewal: needsRenewal(scenario), retries }
  })
  return { scenarios }
}

export const ScenarioRunRequest = z
  .strictObject({
    scenario: z.enum(NAMES).describe('Its name.'),
    price_id: z
      .string()
      .optional()
      .describe('What the buyer of the scenario buys. Default: the first price that fits.'),
    retry: z
      .enum(RETRY_VALUES)
      .optional()
      .describe('The retry that succeeds, for `recovered`. Default: 1.'),
  })
  .meta({ id: 'ScenarioRunRequest' })

export const ScenarioRun = z
  .strictObject({
    id: z.string().describe('Prefix `task_`.'),
    scenario: z.string(),
    status: z
      .enum(['running', 'completed', 'stuck', 'failed'])
      .describe('`stuck` and `failed` runs stopped before their last step.'),
    note: z.string().describe('The present step, or why it failed.'),
    license_id: z.string().nullable().describe('The license of its buyer. Null until it ends.'),
    license_key: z.string().nullable().describe('Validate it to see the result.'),
    license_status: z.enum(LICENSE_STATUSES).nullable(),
    entitled: z.boolean().nullable(),
  })
  .meta({ id: 'ScenarioRun' })

const KINDS = [
  'status',
  'paid',
  'declined',
  'refund',
  'dispute_opened',
  'dispute_closed',
  'email',
  'payout',
  'payout_settled',
] as const satisfies TimelineEvent['kind'][]

const Event = z.strictObject({
  at: z.iso.datetime().describe('The time of the test clock, in UTC.'),
  kind: z.enum(KINDS),
  text: z.string().describe('The event in words.'),
  why: z.string().describe('The cause, such as a decline code or the name of an email.'),
  status: z.string().nullable().describe('The new status of the license, of `status` events.'),
  amount: z.string().nullable().describe('In dollars with two decimals, tax included.'),
  license_id: z.string().nullable(),
  email: z.string().nullable().describe('The buyer. Null for the seller.'),
})

export const TestEvents = z
  .strictObject({
    events: z.array(Event).describe('In order, the earliest first.'),
    cursor: z.string().describe('Send it as `cursor` to get what happens next.'),
    has_more: z.boolean().describe('True if more events are there already.'),
    now: z.iso.datetime().describe("The present time of the app's test clock, in UTC."),
  })
  .meta({ id: 'TestEvents' })

/** A timeline event as a response has it. */
export function writeEvent(event: TimelineEvent): z.infer<typeof Event> {
  const { at, kind, why, status, amount, license_id, email } = event
  return {
    at: isoSeconds(at),
    kind,
    text: eventText(event),
    why,
    status,
    amount: amount === null ? null : formatAmount(amount),
    license_id,
    email,
  }
}
