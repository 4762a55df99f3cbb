import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'

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
