import type { Db } from '#platform/db'
import type { SellerId } from '#platform/ids'
import { sql } from '#platform/sql'

/** Who a seller is, and where in the United States (spec: What the service does, 4). */
export interface SellerDetails {
  legal_name: string
  /** Street and number. */
  address: string
  city: string
  /** The postal code of the state, such as `OR`. */
  state: string
  zip: string
}

/** A seller: a person or a company that sells apps. */
export interface Seller extends SellerDetails {
  id: SellerId
}

/** Registers a seller. */
export async function addSeller(db: Db, now: Date, seller: Seller): Promise<void> {
  const { id, legal_name, address, city, state, zip } = seller
  await db.run(sql`insert into sellers (id, legal_name, address, city, state, zip, created_at)
    values (${id}, ${legal_name}, ${address}, ${city}, ${state}, ${zip}, ${now})`)
}

/** A seller by its id. */
export async function findSeller(db: Db, id: SellerId): Promise<Seller | undefined> {
  return await db.maybe<Seller>(sql`select id, legal_name, address, city, state, zip
    from sellers where id = ${id}`)
}

/** Changes a seller's legal name and address. */
export async function setDetails(db: Db, id: SellerId, details: SellerDetails): Promise<void> {
  const { legal_name, address, city, state, zip } = details
  await db.run(sql`update sellers set legal_name = ${legal_name}, address = ${address},
    city = ${city}, state = ${state}, zip = ${zip} where id = ${id}`)
}

/** The version of the terms that a seller accepted last, and when. */
export interface AcceptedTerms {
  version: string
  at: Date
}

/** The terms that a seller accepted last; undefined if there are none. */
export async function acceptedTerms(db: Db, id: SellerId): Promise<AcceptedTerms | undefined> {
  return await db.maybe<AcceptedTerms>(sql`
    select terms_version as version, terms_accepted_at as at from sellers
    where id = ${id} and terms_accepted_at is not null and terms_version is not null`)
}

/** Records that a seller accepts a version of the terms; false if it was accepted before. */
export async function acceptTerms(
  db: Db,
  now: Date,
  { seller_id, version }: { seller_id: SellerId; version: string },
): Promise<boolean> {
  const accepted = await db.run(sql`update sellers
    set terms_accepted_at = ${now}, terms_version = ${version} where id = ${seller_id}
      and (terms_accepted_at is null or terms_version is distinct from ${version})`)
  return accepted === 1
}
