import { z } from 'zod'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { daysOf } from '#http/search'
import type { AuditFilter } from '#platform/audit-log'

/** The search form of the audit log as it was filled in. */
export const AuditSearch = z.object({
  actor: z.string(),
  action: z.string(),
  subject: z.string(),
  seller: z.string(),
  from: z.string(),
  to: z.string(),
})
export type AuditSearch = z.infer<typeof AuditSearch>

/** The fields of the search form. */
export const AUDIT_FIELDS = AuditSearch.keyof().options

/** The filter of an audit log search. An email without an account matches nothing. */
export async function filterOf({ db }: World, search: AuditSearch): Promise<AuditFilter> {
  const { from: since, before: until } = daysOf(search)
  return {
    actor: await idOf(search.actor),
    action: search.action || undefined,
    subject: await idOf(search.subject),
    seller_id: search.seller || undefined,
    since,
    until,
  }

  /** The id itself, or the id of the account with this email. */
  async function idOf(text: string): Promise<string | undefined> {
    const address = identity.readEmail(text)
    const user = address && (await identity.findByEmail(db, address.email_normalized))
    return user?.id ?? (text || undefined)
  }
}
