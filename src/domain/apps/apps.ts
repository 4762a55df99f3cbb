import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

export type ListingMode = 'marketplace' | 'external'

/** An app as the rest of the service sees it. Its id is the public `client_id` too. */
export interface App {
  id: string
  slug: string
  seller_id: string
  name: string
  tagline: string
  description: string
  url: string
  oauth_login_url: string
  listing_mode: ListingMode
  is_published: boolean
  external_sales_enabled: boolean
}

const COLUMNS = sql`id, slug, seller_id, name, tagline, description, url, oauth_login_url,
  listing_mode, is_published, external_sales_enabled`

/** An app that is on sale: published, with external sales enabled. */
export async function findOnSale(db: Db, id: string): Promise<App | undefined> {
  return await db.maybe<App>(sql`select ${COLUMNS} from apps
    where id = ${id} and is_published and external_sales_enabled`)
}

/** An app by its id, on sale or not. */
export async function find(db: Db, id: string): Promise<App | undefined> {
  return await db.maybe<App>(sql`select ${COLUMNS} from apps where id = ${id}`)
}

/** A published app by its slug, for its product page. */
export async function findPublishedBySlug(db: Db, slug: string): Promise<App | undefined> {
  return await db.maybe<App>(sql`select ${COLUMNS} from apps where slug = ${slug} and is_published`)
}

/** Every published app, by name. */
export async function listPublished(db: Db): Promise<App[]> {
  return await db.rows<App>(
    sql`select ${COLUMNS} from apps where is_published order by lower(name), id`,
  )
}

/** Registers a seller, who must be based in the United States (spec: What the service does, 4). */
export async function addSeller(
  db: Db,
  now: Date,
  seller: { id: string; user_id: string; legal_name: string; state: string; zip: string },
): Promise<void> {
  await db.run(sql`insert into sellers (id, user_id, legal_name, state, zip, created_at)
    values (${seller.id}, ${seller.user_id}, ${seller.legal_name}, ${seller.state},
      ${seller.zip}, ${now})`)
}

/** Registers an app. */
export async function add(db: Db, now: Date, app: App): Promise<void> {
  await db.run(sql`insert into apps (id, slug, seller_id, name, tagline, description, url,
      oauth_login_url, listing_mode, is_published, external_sales_enabled, created_at)
    values (${app.id}, ${app.slug}, ${app.seller_id}, ${app.name}, ${app.tagline},
      ${app.description}, ${app.url}, ${app.oauth_login_url}, ${app.listing_mode},
      ${app.is_published}, ${app.external_sales_enabled}, ${now})`)
}

/** Puts an app on sale or takes it off. */
export async function setOnSale(
  db: Db,
  id: string,
  state: { is_published: boolean; external_sales_enabled: boolean },
): Promise<void> {
  await db.run(sql`update apps set is_published = ${state.is_published},
    external_sales_enabled = ${state.external_sales_enabled} where id = ${id}`)
}

/** Changes the Login URL, where buyers without a return address land. */
export async function setLoginUrl(db: Db, id: string, oauth_login_url: string): Promise<void> {
  await db.run(sql`update apps set oauth_login_url = ${oauth_login_url} where id = ${id}`)
}
