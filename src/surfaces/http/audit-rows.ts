import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { AuditChannel } from '#platform/audit'
import { type AuditCursor, type LoggedEntry, listAudit } from '#platform/audit-log'
import { readId } from '#platform/ids'
import { capitalized } from '#platform/text'

/** An entry with the email of its actor, if that is an account. */
export type AuditRow = LoggedEntry & { email: string | undefined }

/** The channel that an actor used, as words that follow their name. */
export const CHANNEL_LABELS: Record<AuditChannel, string> = {
  page: 'on a page',
  admin: 'in the admin area',
  agent: 'through an agent',
  api: 'through the API',
  command: 'by a command',
}

/** The actions that pages name in other words than the code. */
const TITLES: Record<string, string> = {
  'discount.turned_off': 'Discount: deactivated',
  'discount.turned_on': 'Discount: activated',
  'license.comped': 'License: plan given',
  'product.described': 'Plan: description changed',
  'versions.replaced': 'Plans and prices: changed',
}

/** An action in words: `app.plan_highlighted` is `App: plan highlighted`. */
export function actionTitle(action: string): string {
  const title = TITLES[action]
  if (title) return title
  const [subject = '', done = ''] = action.split('.')
  const words = (text: string) => text.replaceAll('_', ' ')
  return `${capitalized(words(subject))}: ${words(done)}`
}

/** The position of an entry as a query parameter: milliseconds and id. */
export function cursorText({ at, id }: AuditCursor): string {
  return `${at.getTime()}-${id}`
}

/** The position in a query parameter, if it is valid. */
export function readCursor(text: string | undefined): AuditCursor | undefined {
  const [, at, id] = /^(\d{1,14})-(\d{1,15})$/.exec(text ?? '') ?? []
  return at && id ? { at: new Date(Number(at)), id: Number(id) } : undefined
}

/** Entries with the emails of their actors. */
export async function auditRows(
  { db }: World,
  query: Parameters<typeof listAudit>[1],
): Promise<AuditRow[]> {
  const entries = await listAudit(db, query)
  const ids = new Set(entries.map(({ actor }) => readId('usr', actor)).filter((id) => id != null))
  const emails = await identity.emailsOf(db, [...ids])
  return entries.map((entry) => ({ ...entry, email: emails.get(entry.actor) }))
}
