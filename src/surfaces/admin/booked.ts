import type { ActionNote } from '#http/action-note'
import { type Cents, cents } from '#platform/money'

/** The cents that the page showed; undefined if the field is missing or invalid. */
export function seenAmount({ seen = '' }: Record<string, string>): Cents | undefined {
  return /^\d{1,12}$/.test(seen) ? cents(Number(seen)) : undefined
}

/** The name of the note about a booking: `changed`, `nothing`, or `done` if it was made. */
export function bookedNote(booked: Cents | 'changed' | undefined, done: string): string {
  if (booked === 'changed') return 'changed'
  return booked === undefined ? 'nothing' : done
}

/** The note about an amount that is no longer the one that was shown. */
export const CHANGED_NOTE: ActionNote = {
  tone: 'warning',
  text: 'Not done: the amount has changed since the page was opened. Check it and try again.',
}
