import type { ManualClock } from '../support/clock.ts'

/** A change that a person asked for: of the seller of an app, or the email of an account. */
export interface RecordedChange<Value> {
  /** The ID of what is changed. */
  subject: string
  from: Value
  to: Value
  at: Date
  /** When the answer arrived; undefined until then. */
  answered_at?: Date
  /** What the answer said, for other changes than the one that was asked for. */
  outcome: string
  is_made?: boolean
}

/** What a change answered, in the words of its flow. */
export interface ChangeAnswer {
  is_made: boolean
  outcome: string
}

/**
 * Records a change before it is sent, and its answer. A second passes before and after it, so that
 * other events of the same millisecond are not between.
 */
export async function recordChange<Value>(
  clock: ManualClock,
  changes: RecordedChange<Value>[],
  facts: Pick<RecordedChange<Value>, 'subject' | 'from' | 'to'>,
  ask: () => Promise<ChangeAnswer>,
): Promise<string> {
  clock.pass(1)
  const change: RecordedChange<Value> = { ...facts, at: clock.now(), outcome: 'unknown' }
  changes.push(change)
  Object.assign(change, await ask(), { answered_at: clock.now() })
  clock.pass(1)
  return change.outcome
}

/** Which value is asked for. */
interface ValueOf<Value> {
  subject: string
  at: Date
  /** The value without any recorded change. */
  otherwise: Value
}

/**
 * The values that a subject can have had at a time: one, except while a change is being answered,
 * and after one whose answer was lost.
 */
export function valuesAt<Value>(
  changes: readonly RecordedChange<Value>[],
  { subject, at, otherwise }: ValueOf<Value>,
): Set<Value> {
  const own = changes.filter((change) => change.subject === subject)
  let values = new Set([own[0]?.from ?? otherwise])
  for (const { at: asked_at, answered_at, is_made, to } of own) {
    if (asked_at > at) break
    if (is_made === false) continue
    // A made change is known to have replaced every earlier value.
    values = is_made && answered_at! < at ? new Set([to]) : values.add(to)
  }
  return values
}
