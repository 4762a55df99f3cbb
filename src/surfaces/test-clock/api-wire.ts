import { z } from 'zod'
import type { TimelineEvent } from '#domain/billing'
import { LICENSE_STATUSES } from '#domain/licensing'
import { eventText } from '#http/timeline-labels'
import { isoSeconds } from '#platform/calendar'
import { formatAmount } from '#platform/money'
import { hasRetryChoice, needsRenewal, RETRIES, SCENARIOS } from './scenarios.ts'

/** The largest number of events in one response. */
export const MAX_EVENTS = 200

const NAMES = SCENARIOS.map(({ name }) => name)
const RETRY_VALUES = RETRIES.map(({ value }) => value)

export const ScenarioList = z
  .strictObject({
    scenarios: z.array(
      z.strictObject({
        name: z.string().describe('The value of `scenario`.'),
        title: z.string(),
        description: z.string().describe('What happens.'),
        needs_renewal: z.boolean().describe('True if the scenario requires a recurring price.'),
        retries: z
          .array(z.string())
          .describe('The values that `retry` accepts. Empty if the scenario takes none.'),
      }),
    ),
  })
  .meta({ id: 'ScenarioList' })

/** Every scenario, as a response. */
export function writeScenarios(): z.infer<typeof ScenarioList> {
  const scenarios = SCENARIOS.map((scenario) => {
    const { name, title, description } = scenario
    const retries = hasRetryChoice(scenario) ? RETRY_VALUES : []
    return { name, title, description, needs_renewal: needsRenewal(scenario), retries }
  })
  return { scenarios }
}

export const ScenarioRunRequest = z
  .strictObject({
    scenario: z.enum(NAMES).describe('The `name` of the scenario.'),
    price_id: z
      .string()
      .optional()
      .describe('The price to buy. Default: the first price that fits the scenario.'),
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
    note: z
      .string()
      .describe('The current step, where it got stuck, or why it failed; empty if it completed.'),
    license_id: z.string().nullable().describe('The buyer’s license. Null until the run ends.'),
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
  'refund_returned',
  'inquiry_opened',
  'inquiry_closed',
  'dispute_opened',
  'dispute_closed',
  'email',
  'payout',
  'payout_settled',
] as const satisfies TimelineEvent['kind'][]

const Event = z.strictObject({
  at: z.iso.datetime().describe('The time of the test clock, in UTC.'),
  kind: z.enum(KINDS),
  text: z.string().describe('A short description of the event.'),
  why: z.string().describe('The cause, such as a decline code or the name of an email.'),
  status: z
    .string()
    .nullable()
    .describe('The new license status, for `status` events. Null for others.'),
  amount: z.string().nullable().describe('In dollars with two decimals, tax included.'),
  license_id: z.string().nullable(),
  email: z.string().nullable().describe('The buyer. Null for the seller.'),
})

export const TestEvents = z
  .strictObject({
    events: z.array(Event).describe('In order, oldest first.'),
    cursor: z.string().describe('Send it as `cursor` to get the events after these.'),
    has_more: z.boolean().describe('True if more events are available now.'),
    now: z.iso.datetime().describe("The current time of the app's test clock, in UTC."),
  })
  .meta({ id: 'TestEvents' })

/** A timeline event as it appears in a response. */
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
