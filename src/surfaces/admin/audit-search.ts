import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { queryOf } from '#http/input'
import type { AuditFilter } from '#platform/audit-log'
import { addDays, readDay } from '#platform/calendar'

/** The search form of the audit log as it was filled in. */
export const AuditSearch = z.object({
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  from: z.string(),
  to: z.string(),
})
export type AuditSearch = z.infer<typeof AuditSearch>

const LONGEST = 320

/** The search in the address. */
export function searchOf(request: FastifyRequest): AuditSearch {
  const read = (name: keyof AuditSearch) => (queryOf(request, name) ?? '').trim().slice(0, LONGEST)
  return {
    actor: read('actor'),
    action: read('action'),
    subject: read('subject'),
    from: read('from'),
    to: read('to'),
  }
}

/** The filter of an audit log search. An email without an account matches nothing. */
export async function filterOf({ db }: World, search: AuditSearch): Promise<AuditFilter> {
  const to = readDay(search.to)
  return {
    actor: await idOf(search.actor),
    action: search.action || undefined,
    subject: await idOf(search.subject),
    since: readDay(search.from),
    until: to && addDays(to, 1),
  }

  /** The id itself, or the id of the account with this email. */
  async function idOf(text: string): Promise<string | undefined> {
    const address = identity.readEmail(text)
    const user = address && (await identity.findByEmail(db, address.email_normalized))
    return user?.id ?? (text || undefined)
  }
}
