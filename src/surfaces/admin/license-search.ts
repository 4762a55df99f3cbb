import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { UNKNOWN_KEY } from '#http/search'

/** Finds licenses by an exact email, license ID, order reference or invoice number. */
export async function searchLicenses({ db }: World, query: string): Promise<billing.FoundLicenses> {
  const address = identity.readEmail(query)
  const number = /^PUR-0*(\d{1,15})$/i.exec(query)?.[1]
  return await billing.findLicenses(db, {
    id: query,
    email_normalized: address?.email_normalized ?? null,
    number: number === undefined ? null : Number(number),
  })
}

/**
 * A search with the license's ID in place of its key, which would be in an address; the same text
 * if it is no key.
 */
export async function withoutLicenseKey({ db, keys }: World, query: string): Promise<string> {
  if (!licensing.isWellFormedKey(query)) return query
  return (await licensing.licenseWithKey(db, licensing.keyHashes(keys, query))) ?? UNKNOWN_KEY
}
