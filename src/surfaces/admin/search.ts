import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'

/** A license found by staff, with its invoices. */
export type FoundSubject = billing.FoundLicense

/** Finds licenses by an exact email, license ID, order reference or invoice number. */
export async function findSubject({ db }: World, sought: string): Promise<FoundSubject[]> {
  const address = identity.readEmail(sought)
  const number = /^PUR-0*(\d{1,15})$/i.exec(sought)?.[1]
  return await billing.findLicenses(db, {
    id: sought,
    email_normalized: address?.email_normalized ?? null,
    number: number === undefined ? null : Number(number),
  })
}
