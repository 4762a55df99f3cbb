import type { FastifyRequest } from 'fastify'
import { z } from 'zod'
import type * as apps from '#domain/apps'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { Sought } from '#domain/payments'
import type { World } from '#flows/world'
import { formOf, queryOf } from '#http/input'
import { addDays, readDay } from '#platform/calendar'

const LONGEST = 320

/** The fields of a list's search, as they were filled in; an empty one is not asked for. */
export type SearchTexts<Name extends string> = Record<Name, string>

/** The search in the address of a list, or in the form of its export. */
export function searchOf<Name extends string>(
  request: FastifyRequest,
  names: readonly Name[],
): SearchTexts<Name> {
  const posted = request.method === 'POST' ? formOf(request) : undefined
  const read = (name: Name) => (posted ? posted[name] : queryOf(request, name)) ?? ''
  const texts = names.map((name) => [name, read(name).trim().slice(0, LONGEST)])
  return Object.fromEntries(texts) as SearchTexts<Name>
}

/** The request of an export: a search, and the app's slug. */
const Asked = z.object({ slug: z.string() }).catchall(z.string())

/** The request of an export of what a search finds; empty fields are left out. */
export function exportRequest(
  slug: string,
  search: Record<string, string>,
): { slug: string } & Record<string, string> {
  const given = Object.entries(search).filter(([, value]) => value !== '')
  return { ...Object.fromEntries(given), slug }
}

/** The search that an export was started with. */
export function exportedSearch<Name extends string>(
  request: unknown,
  names: readonly Name[],
): { slug: string; search: SearchTexts<Name> } {
  const { slug, ...given } = Asked.parse(request)
  const texts = names.map((name) => [name, given[name] ?? ''])
  return { slug, search: Object.fromEntries(texts) as SearchTexts<Name> }
}

/** The address of a list; empty fields are left out. */
export function listAddress(path: string, fields: Record<string, string>): string {
  const query = new URLSearchParams(Object.entries(fields).filter(([, value]) => value !== ''))
  return query.size > 0 ? `${path}?${query}` : path
}

/** The days of a search as times: from one, and before the day after the other. */
export function daysOf({ from, to }: SearchTexts<'from' | 'to'>): {
  from: Date | undefined
  before: Date | undefined
} {
  const last = readDay(to)
  return { from: readDay(from), before: last && addDays(last, 1) }
}

/** What a search names: an email, a license key, an order, a license or an invoice. */
export function soughtOf(
  { keys, clock }: World,
  app: Pick<apps.App, 'id'>,
  text: string,
): Sought | undefined {
  if (text === '') return undefined
  const facts = { client_id: app.id, reference: text }
  const number = /^(?:PUR-)?0*(\d{1,15})$/i.exec(text)?.[1]
  return {
    id: licensing.readReference(keys, clock.now(), facts) ?? text,
    email_normalized: identity.readEmail(text)?.email_normalized ?? null,
    number: number === undefined ? null : Number(number),
    key_hashes: licensing.isWellFormedKey(text) ? licensing.keyHashes(keys, text) : [],
  }
}
