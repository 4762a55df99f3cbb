import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { UNKNOWN_KEY } from '#http/search'

/** An account that a search found, and the number of browsers where it is signed in. */
export interface FoundAccount extends Pick<identity.User, 'id' | 'email' | 'staff_role'> {
  is_locked: boolean
  sessions: number
}

/** What a search by staff found: licenses, and the account of an email. */
export interface FoundByStaff extends billing.FoundLicenses {
  account: FoundAccount | undefined
}

/** Finds licenses by an exact email, license ID, order reference or invoice number. */
export async function search(world: World, query: string): Promise<FoundByStaff> {
  const email_normalized = identity.readEmail(query)?.email_normalized ?? null
  const number = /^PUR-0*(\d{1,15})$/i.exec(query)?.[1]
  const licenses = await billing.findLicenses(world.db, {
    id: query,
    email_normalized,
    number: number === undefined ? null : Number(number),
  })
  return { ...licenses, account: await findAccount(world, email_normalized) }
}

async function findAccount(
  { db, clock }: World,
  email_normalized: string | null,
): Promise<FoundAccount | undefined> {
  const user =
    email_normalized === null ? undefined : await identity.findByEmail(db, email_normalized)
  if (!user) return undefined
  const { id, email, staff_role, locked_at } = user
  const sessions = await identity.listSessions(db, clock.now(), id)
  return { id, email, staff_role, is_locked: locked_at !== null, sessions: sessions.length }
}

/**
 * A search with the license's ID in place of its key, which would be in an address; the same text
 * if it is no key.
 */
export async function withoutLicenseKey({ db, keys }: World, query: string): Promise<string> {
  if (!licensing.isWellFormedKey(query)) return query
  return (await licensing.licenseWithKey(db, licensing.keyHashes(keys, query))) ?? UNKNOWN_KEY
}
