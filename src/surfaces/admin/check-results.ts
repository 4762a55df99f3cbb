import { z } from 'zod'
import type { Checked } from '#flows/check-books'

export type { Checked } from '#flows/check-books'

/** How many differences and events the page lists; a result has one more. */
export const LISTED = 100

/** The result of a ledger check, as its task stores it. */
export const CheckedBooks: z.ZodType<Checked> = z.object({
  counts: z.record(z.string(), z.number()),
  differences: z.array(z.object({ rule: z.string(), subject: z.string(), detail: z.string() })),
})

/** The result of reprocessing events: the number of new ones, and those still pending. */
export const ReprocessedEvents = z.object({
  processed: z.number(),
  waiting: z.array(z.object({ id: z.string(), kind: z.string(), at: z.string() })),
})

export type EventsReprocessed = z.output<typeof ReprocessedEvents>
