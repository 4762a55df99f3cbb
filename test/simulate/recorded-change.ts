import { Problem } from '#platform/problem'
import type { ManualClock } from '../support/clock.ts'

/** A change that a person asked for: of the seller of an app, or the email of an account. */
export interface RecordedChange<Value> {
  /** The ID of what is changed. */
  subject: string
  from: Value
  to: Value
  at: Date
  /** When the answer arrived; undefined until then, and if it was lost. */
  answered_at?: Date
  /** When it can no longer be made: it was answered, or its process crashed. */
  ended_at?: Date
  /** What the answer said, for other changes than the one that was asked for. */
  outcome: string
  is_made?: boolean
  /** A change of email that the former mailbox undoes. */
  is_undo?: boolean
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
  facts: Pick<RecordedChange<Value>, 'subject' | 'from' | 'to' | 'is_undo'>,
  ask: () => Promise<ChangeAnswer>,
): Promise<string> {
  clock.pass(1)
  const change: RecordedChange<Value> = { ...facts, at: clock.now(), outcome: 'unknown' }
  changes.push(change)
  await answerChange(clock, change, ask)
  clock.pass(1)
  return change.outcome
}

/** Records the answer to a change; a refusal that is thrown says that it was not made. */
export async function answerChange<Value>(
  clock: ManualClock,
  change: RecordedChange<Value>,
  ask: () => Promise<ChangeAnswer>,
): Promise<void> {
  try {
    Object.assign(change, await ask(), { answered_at: clock.now() })
  } catch (error) {
    if (error instanceof Problem) {
      Object.assign(change, { is_made: false, outcome: error.code, answered_at: clock.now() })
    }
    throw error
  } finally {
    change.ended_at = clock.now()
  }
}

/** Which value is asked for. */
interface ValueOf<Value> {
  subject: string
  /** The value without any recorded change. */
  otherwise: Value
}

/**
 * The values that a subject can have had at a time: one, except while a change is being answered,
 * and after one whose answer was lost.
 */
export function valuesAt<Value>(
  changes: readonly RecordedChange<Value>[],
  { at, ...of }: ValueOf<Value> & { at: Date },
): Set<Value> {
  return valuesDuring(changes, { ...of, from: at, until: at })
}

/** The values that a subject can have had at any time of a period. */
export function valuesDuring<Value>(
  changes: readonly RecordedChange<Value>[],
  { subject, from, until, otherwise }: ValueOf<Value> & { from: Date; until: Date },
): Set<Value> {
  const own = changes.filter((change) => change.subject === subject)
  const possible = own.filter(({ at, is_made }) => at <= until && is_made !== false)
  const replacing = possible.filter(({ is_made, ended_at }) => is_made && ended_at! < from)
  // Of two changes that were made at once, either may be the later one.
  const isReplaced = ({ ended_at }: RecordedChange<Value>) =>
    ended_at !== undefined && replacing.some(({ at }) => at > ended_at)
  const values = possible.filter((change) => !isReplaced(change)).map(({ to }) => to)
  if (replacing.length === 0) values.push(own[0]?.from ?? otherwise)
  return new Set(values)
}
