import type { Evidence } from './processor.ts'

/** An activity with its time. */
export interface ActivityEvent {
  at: Date
  /** When it last happened, if more than once. */
  until?: Date
  what: string
}

/** Everything that the service recorded about a disputed charge. */
export interface Case {
  email: string
  app_name: string
  product_name: string
  /** The start of the paid period, and its end; null if it has none. */
  period_start: Date
  period_end: Date | null
  /** The terms that the buyer agreed to when paying, in sentences. */
  terms: string[]
  refund_policy: string
  receipt: string
  activity: ActivityEvent[]
  statement: string
}

/** The longest text that processors accept in one field, in characters. */
const LONGEST = 20_000
/** The longest statement that a sender may add, in characters. */
export const MAX_STATEMENT_LENGTH = 2000

/** Formats the evidence for the processor: plain text, times in UTC, no full IP addresses. */
export function writeEvidence(facts: Case): Evidence {
  const from = day(facts.period_start)
  const term = facts.period_end
    ? `Paid for ${from} to ${day(facts.period_end)}.`
    : `Paid once on ${from}, for use without a time limit.`
  return {
    customer_email_address: facts.email,
    product_description:
      `${facts.app_name}, plan "${facts.product_name}": a web app, delivered immediately by a ` +
      `license key on the page after the payment and in the receipt. ${term}`,
    service_date: from,
    access_activity_log: logOf(facts.activity),
    refund_policy_disclosure: [...facts.terms, facts.refund_policy].join('\n'),
    receipt: facts.receipt,
    ...(facts.statement === '' ? {} : { uncategorized_text: facts.statement }),
  }
}

/** The log line by line; if it is too long for the field, the oldest lines are left out. */
function logOf(activity: ActivityEvent[]): string {
  const lines = activity
    .toSorted((one, other) => one.at.getTime() - other.at.getTime())
    .map(({ at, until, what }) => `${spanOf(at, until)}  ${what}`)
  const kept: string[] = []
  let length = 0
  for (const line of lines.toReversed()) {
    length += line.length + 1
    if (length > LONGEST - 100) break
    kept.unshift(line)
  }
  const left = lines.length - kept.length
  return [...(left > 0 ? [`(${left} earlier entries are left out.)`] : []), ...kept].join('\n')
}

function spanOf(at: Date, until: Date | undefined): string {
  const [from, to] = [minute(at), until ? minute(until) : undefined]
  if (to === undefined || to === from) return `${from} UTC`
  const isSameDay = day(at) === day(until!)
  return `${from} to ${isSameDay ? to.slice(11) : to} UTC`
}

function day(at: Date): string {
  return at.toISOString().slice(0, 10)
}

function minute(at: Date): string {
  return at.toISOString().slice(0, 16).replace('T', ' ')
}
