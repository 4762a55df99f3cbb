import type { Db } from '#platform/db'
import type { AppId, ImageId } from '#platform/ids'
import { type Sql, sql } from '#platform/sql'

/** An app as the marketplace lists it. */
export interface ListedApp {
  id: AppId
  slug: string
  name: string
  tagline: string
  url: string
  listing_mode: 'marketplace' | 'external'
  icon_id: ImageId | null
}

/** What a visitor looks for; absent parts do not restrict. */
export interface MarketplaceSearch {
  /** Words of the name or the texts, a category, an industry or a tag. */
  words?: string | undefined
  /** The key of a category. */
  category?: string | undefined
}

/**
 * The published apps that match, best first: words in the name weigh more than words in the texts,
 * and a misspelled name is found by its similarity. Without words they are sorted by name.
 */
export async function searchApps(
  db: Db,
  search: MarketplaceSearch,
  { limit, offset }: { limit: number; offset: number },
): Promise<ListedApp[]> {
  const { words } = search
  const order = words ? sql`${rank(words)} desc, lower(a.name), a.id` : sql`lower(a.name), a.id`
  return await db.rows<ListedApp>(sql`
    select a.id, a.slug, a.name, a.tagline, a.url, a.listing_mode, a.icon_id from apps a
    where ${matching(search)} order by ${order} limit ${limit} offset ${offset}`)
}

/** How many published apps match. */
export async function countApps(db: Db, search: MarketplaceSearch): Promise<number> {
  const { count } = await db.one<{ count: number }>(
    sql`select count(*) as count from apps a where ${matching(search)}`,
  )
  return count
}

function matching({ words, category }: MarketplaceSearch): Sql {
  return sql`a.is_published and not a.is_suspended and ${category ? named(['category'], category) : sql`true`}
    and ${words ? found(words) : sql`true`}`
}

/** Each condition has an index: words, similar names, and shared names such as tags. */
function found(words: string): Sql {
  return sql`(a.search @@ websearch_to_tsquery('english', ${words})
    or a.name % ${words} or ${words} <% a.name
    or ${named(['category', 'industry', 'tag'], words.toLowerCase())})`
}

function named(kinds: string[], key: string): Sql {
  return sql`a.id in (select n.app_id from listing_app_names n
    where n.kind = any(${kinds}) and n.key = ${key})`
}

function rank(words: string): Sql {
  return sql`(ts_rank(a.search, websearch_to_tsquery('english', ${words}))
    + greatest(similarity(a.name, ${words}), word_similarity(${words}, a.name)))`
}

/** A category, and the key by which its apps are found. */
export interface UsedCategory {
  key: string
  name: string
}

/** The categories of published apps, most used first. */
export async function usedCategories(db: Db, limit: number): Promise<UsedCategory[]> {
  return await db.rows<UsedCategory>(sql`select n.key, n.name
    from listing_names n join listing_app_names l using (kind, key) join apps a on a.id = l.app_id
    where n.kind = 'category' and a.is_published and not a.is_suspended
    group by n.key, n.name order by count(*) desc, n.key limit ${limit}`)
}

/** The category with this key, if a published app has it. */
export async function usedCategory(db: Db, key: string): Promise<UsedCategory | undefined> {
  return await db.maybe<UsedCategory>(sql`select n.key, n.name from listing_names n
    where n.kind = 'category' and n.key = ${key} and exists (
      select 1 from listing_app_names l join apps a on a.id = l.app_id
      where l.kind = n.kind and l.key = n.key and a.is_published and not a.is_suspended)`)
}
