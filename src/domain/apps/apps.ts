import { type Db, isUniqueViolation } from '#platform/db'
import type { AppId, ImageId, SellerId, UserId } from '#platform/ids'
import { fromJson, type JsonRow } from '#platform/json-row'
import { type Sql, sql } from '#platform/sql'
import { ADD_ON_DATES, type AddOnDates } from './add-on.ts'
import { forgetRemovedImages } from './images.ts'
import { hasPublicPrices } from './visibility.ts'

export type ListingMode = 'marketplace' | 'external'

/** An app. Its id is also the public `client_id`. */
export interface App extends AddOnDates {
  id: AppId
  slug: string
  seller_id: SellerId
  name: string
  tagline: string
  description: string
  url: string
  oauth_login_url: string
  listing_mode: ListingMode
  is_published: boolean
  external_sales_enabled: boolean
  /** Whether buyers may pause their subscriptions. */
  allows_pause: boolean
  /** How far the app's test clock is ahead, in seconds. */
  clock_ahead: number
  /**
   * When the app was archived; null if it is not. An archived app is not listed and not for sale.
   */
  archived_at: Date | null
  /** The icon; null if the app has none. */
  icon_id: ImageId | null
  /** When staff suspended the app itself; null if they have not. */
  suspended_at: Date | null
  /** Whether staff suspended the app or its seller: not listed and not for sale (decision 102). */
  is_suspended: boolean
  /** Whether buyers can buy it: published, with external sales enabled, and not suspended. */
  is_on_sale: boolean
}

/** The fields of a new app. */
export type NewApp = Omit<
  App,
  | 'allows_pause'
  | 'clock_ahead'
  | 'archived_at'
  | 'icon_id'
  | 'suspended_at'
  | 'is_suspended'
  | 'is_on_sale'
  | keyof AddOnDates
>

const COLUMNS = sql`id, slug, seller_id, name, tagline, description, url, oauth_login_url,
  listing_mode, is_published, external_sales_enabled, allows_pause, clock_ahead,
  archived_at, suspended_at, is_suspended, is_on_sale, icon_id, addon_enabled_at,
  addon_disabled_at`

/** The app with this ID, as JSON within another statement; `appOf` reads it. */
export const appAsJson = (id: Sql) => sql`(select to_jsonb(app)
  from (select ${COLUMNS} from apps where id = ${id}) app)`

/** The app of `appAsJson`. */
export function appOf(json: JsonRow<App>): App {
  return fromJson<App>(json, { archived_at: true, suspended_at: true, ...ADD_ON_DATES })
}

/** An app that is for sale. */
export async function findOnSale(db: Db, id: AppId): Promise<App | undefined> {
  const app = await find(db, id)
  return app?.is_on_sale ? app : undefined
}

/** An app whose prices are public; see `hasPublicPrices`. */
export async function findPriced(db: Db, id: AppId): Promise<App | undefined> {
  const app = await find(db, id)
  return app && hasPublicPrices(app) ? app : undefined
}

/** An app by its id, for sale or not. */
export async function find(db: Db, id: AppId): Promise<App | undefined> {
  return await db.maybe<App>(sql`select ${COLUMNS} from apps where id = ${id}`)
}

/** The app that a row refers to, for sale or not; throws if there is none. */
export async function get(db: Db, id: AppId): Promise<App> {
  return await db.one<App>(sql`select ${COLUMNS} from apps where id = ${id}`)
}

/** An app by its slug, in any state. */
export async function findBySlug(db: Db, slug: string): Promise<App | undefined> {
  return await db.maybe<App>(sql`select ${COLUMNS} from apps where slug = ${slug}`)
}

/** A published app by its slug, for its product page. */
export async function findPublishedBySlug(db: Db, slug: string): Promise<App | undefined> {
  return await db.maybe<App>(sql`select ${COLUMNS} from apps
    where slug = ${slug} and is_published and not is_suspended`)
}

// An external app's page is on the seller's site, so search engines find that one.
const LISTED = sql`is_published and not is_suspended and listing_mode <> 'external'`

/** How many apps have a product page of their own here. */
export async function countListed(db: Db): Promise<number> {
  return (await db.one<{ count: number }>(sql`select count(*)::int from apps where ${LISTED}`))
    .count
}

/** The slugs of apps with a product page of their own here, in a stable order. */
export async function listedSlugs(
  db: Db,
  { offset, limit }: { offset: number; limit: number },
): Promise<string[]> {
  const rows = await db.rows<{ slug: string }>(
    sql`select slug from apps where ${LISTED} order by slug offset ${offset} limit ${limit}`,
  )
  return rows.map(({ slug }) => slug)
}

/** Whether a seller has a published app. */
export async function hasPublished(db: Db, seller_id: SellerId): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (
    select 1 from apps where seller_id = ${seller_id} and is_published) as found`)
  return found
}

/** The apps, without archived ones, of every seller that an account is a member of, by name. */
export async function listOf(db: Db, user_id: UserId): Promise<App[]> {
  return await db.rows<App>(sql`select ${COLUMNS} from apps
    where seller_id in (select seller_id from seller_members where user_id = ${user_id})
      and archived_at is null order by lower(name), id`)
}

/** An app by its slug, if this account is a member of its seller. */
export async function findOwn(
  db: Db,
  { slug, user_id }: { slug: string; user_id: UserId },
): Promise<App | undefined> {
  // PostgreSQL cannot even compare with this character.
  if (slug.includes('\0')) return undefined
  return await db.maybe<App>(sql`select ${COLUMNS} from apps where slug = ${slug}
    and seller_id in (select seller_id from seller_members where user_id = ${user_id})`)
}

/** An app of a seller by its slug. */
export async function findOfSeller(
  db: Db,
  { slug, seller_id }: Pick<App, 'slug' | 'seller_id'>,
): Promise<App | undefined> {
  if (slug.includes('\0')) return undefined
  return await db.maybe<App>(sql`select ${COLUMNS} from apps
    where slug = ${slug} and seller_id = ${seller_id}`)
}

/** Registers an app; false if its slug is taken. */
export async function add(db: Db, now: Date, app: NewApp): Promise<boolean> {
  const added =
    await db.run(sql`insert into apps (id, slug, seller_id, name, tagline, description, url,
      oauth_login_url, listing_mode, is_published, external_sales_enabled, created_at)
    values (${app.id}, ${app.slug}, ${app.seller_id}, ${app.name}, ${app.tagline},
      ${app.description}, ${app.url}, ${app.oauth_login_url}, ${app.listing_mode},
      ${app.is_published}, ${app.external_sales_enabled}, ${now})
    on conflict (slug) do nothing`)
  return added === 1
}

/** A seller's apps, by name: those in use, or the archived ones. */
export async function listOfSeller(
  db: Db,
  { seller_id, is_archived }: { seller_id: SellerId; is_archived: boolean },
): Promise<App[]> {
  return await db.rows<App>(sql`select ${COLUMNS} from apps where seller_id = ${seller_id}
    and (archived_at is not null) = ${is_archived} order by lower(name), id`)
}

/** The names of a seller's apps, archived ones too; one transaction at a time adds to them. */
export async function lockNames(tx: Db, seller_id: SellerId): Promise<string[]> {
  await tx.rows(sql`select pg_advisory_xact_lock(hashtextextended(${seller_id}, 16))`)
  const own = sql`select name from apps where seller_id = ${seller_id}`
  return (await tx.rows<{ name: string }>(own)).map(({ name }) => name)
}

/** The names of a seller's apps by their ids, with archived ones and those it transferred. */
export async function namesOf(db: Db, seller_id: SellerId): Promise<Map<string, string>> {
  const own = sql`select id, name from apps where seller_id = ${seller_id}
    or id in (select app_id from app_transfers
      where from_seller = ${seller_id} and outcome = 'accepted')`
  const rows = await db.rows<{ id: AppId; name: string }>(own)
  return new Map(rows.map(({ id, name }) => [id, name]))
}

/** The ids of a seller's apps, archived ones too. */
export async function idsOf(db: Db, seller_id: SellerId): Promise<AppId[]> {
  const own = sql`select id from apps where seller_id = ${seller_id} order by id`
  return (await db.rows<{ id: AppId }>(own)).map(({ id }) => id)
}

/** Locks an app's row until the transaction ends. */
export async function lock(tx: Db, id: AppId): Promise<App> {
  return await tx.one<App>(sql`select ${COLUMNS} from apps where id = ${id} for update`)
}

/** Changes an app's name, website and slug; throws what `isSlugTaken` recognizes. */
export async function setDetails(
  tx: Db,
  id: AppId,
  { name, url, slug }: Pick<App, 'name' | 'url' | 'slug'>,
): Promise<void> {
  await tx.run(sql`update apps set name = ${name}, url = ${url}, slug = ${slug} where id = ${id}`)
}

/** Whether an error means that another app has the slug, now or by a concurrent change. */
export function isSlugTaken(error: unknown): boolean {
  return isUniqueViolation(error, 'apps_slug_key')
}

/**
 * Gives an app to another seller. Its approval ends with the seller who was approved: external
 * sales are off until staff approve the new one. The new one cannot restore images that the former
 * one removed.
 */
export async function setSeller(tx: Db, id: AppId, seller_id: SellerId): Promise<void> {
  await tx.run(sql`update apps set seller_id = ${seller_id}, external_sales_enabled = false
    where id = ${id}`)
  await forgetRemovedImages(tx, id)
}

/** Archives an app, which takes it off sale; with null, restores it. */
export async function setArchived(tx: Db, id: AppId, archived_at: Date | null): Promise<void> {
  await tx.run(sql`update apps set archived_at = ${archived_at}, is_published = false
    where id = ${id}`)
}

/** Makes an app available for sale, or withdraws it. */
export async function setOnSale(
  db: Db,
  id: AppId,
  state: { is_published: boolean; external_sales_enabled: boolean },
): Promise<void> {
  await db.run(sql`update apps set is_published = ${state.is_published},
    external_sales_enabled = ${state.external_sales_enabled} where id = ${id}`)
}

/** The marketplace's short texts about an app, and where its card leads. */
export type ListingText = Pick<App, 'tagline' | 'description' | 'listing_mode'>

/** Changes the marketplace's texts about an app. */
export async function setListing(db: Db, id: AppId, text: ListingText): Promise<void> {
  await db.run(sql`update apps set tagline = ${text.tagline}, description = ${text.description},
    listing_mode = ${text.listing_mode} where id = ${id}`)
}

/** Changes the Login URL, where buyers without a return address land. */
export async function setLoginUrl(db: Db, id: AppId, oauth_login_url: string): Promise<void> {
  await db.run(sql`update apps set oauth_login_url = ${oauth_login_url} where id = ${id}`)
}

/**
 * Enables the hosted sign-in add-on; false if it was enabled. The first date stays, as the free
 * months are counted from it, once.
 */
export async function enableAddOn(db: Db, now: Date, id: AppId): Promise<boolean> {
  const changed = await db.run(sql`with changed as (update apps
      set addon_enabled_at = coalesce(addon_enabled_at, ${now}), addon_disabled_at = null
      where id = ${id} and (addon_enabled_at is null or addon_disabled_at is not null)
      returning id)
    insert into add_on_switches (app_id, at, is_on) select id, ${now}, true from changed`)
  return changed === 1
}

/** Disables the hosted sign-in add-on; false if it was disabled. */
export async function disableAddOn(db: Db, now: Date, id: AppId): Promise<boolean> {
  const changed = await db.run(sql`with changed as (update apps set addon_disabled_at = ${now}
      where id = ${id} and addon_enabled_at is not null and addon_disabled_at is null
      returning id)
    insert into add_on_switches (app_id, at, is_on) select id, ${now}, false from changed`)
  return changed === 1
}

/** Sets whether an app's buyers may pause their subscriptions; false if it was set like this. */
export async function setAllowsPause(db: Db, id: AppId, allows_pause: boolean): Promise<boolean> {
  const changed = await db.run(sql`update apps set allows_pause = ${allows_pause}
    where id = ${id} and allows_pause <> ${allows_pause}`)
  return changed === 1
}
