import type { FastifyRequest } from 'fastify'
import { formOf, queryOf } from '#http/input'
import { addDays, readDay } from '#platform/calendar'
import { recordFrom } from '#platform/record'

const LONGEST = 320

/** What a search for a license key that is not found goes on with: no address has the key. */
export const UNKNOWN_KEY = 'Unknown license key'

/** The fields of a list's search, as submitted. An empty field matches everything. */
export type SearchTexts<Name extends string> = Record<Name, string>

/** The search in the address of a list, or in the form of its export. */
export function searchOf<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): SearchTexts<Name> {
  const posted = request.method === 'POST' ? formOf(request) : undefined
  const read = (name: Name) => (posted ? posted[name] : queryOf(request, name)) ?? ''
  return recordFrom(names, (name) => read(name).trim().slice(0, LONGEST))
}

/**
 * The dates of a search as times: from the start of the first day to the end of the last,
 * exclusive.
 */
export function daysOf({ from, to }: SearchTexts<'from' | 'to'>): {
  from: Date | undefined
  before: Date | undefined
} {
  const last = readDay(to)
  return { from: readDay(from), before: last && addDays(last, 1) }
}
