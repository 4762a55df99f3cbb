import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import { type App, find } from './apps.ts'
import type { AppImage } from './images.ts'
import type { SuspendedApp } from './suspensions.ts'

/**
 * Adds or updates an app of live mode in test mode, which approves it without a review. Returns the
 * app as it was before; undefined if it is new.
 */
export async function mirrorApp(tx: Db, now: Date, app: App): Promise<App | undefined> {
  const { id, slug, seller_id, name, url, archived_at } = app
  // In live mode the slug is this app's, so another app there has given it up.
  await tx.run(sql`update apps set slug = lower(replace(id, '_', '-'))
    where slug = ${slug} and id <> ${id}`)
  const before = await find(tx, id)
  if (before) {
    await tx.run(sql`update apps set slug = ${slug}, seller_id = ${seller_id}, name = ${name},
      url = ${url}, archived_at = ${archived_at},
      seller_suspended_at = (select suspended_at from sellers where id = ${seller_id}),
      is_published = is_published and ${archived_at}::timestamptz is null
      where id = ${id} and (slug, seller_id, name, url, archived_at)
        is distinct from (${slug}, ${seller_id}, ${name}, ${url}, ${archived_at}::timestamptz)`)
    return before
  }
  await tx.run(sql`insert into apps (id, slug, seller_id, name, tagline, description, url,
      oauth_login_url, listing_mode, is_published, external_sales_enabled, allows_pause,
      archived_at, seller_suspended_at, created_at)
    values (${id}, ${slug}, ${seller_id}, ${name}, ${app.tagline}, ${app.description}, ${url},
      ${url}, ${app.listing_mode}, ${app.is_published}, true, ${app.allows_pause},
      ${archived_at}, (select suspended_at from sellers where id = ${seller_id}), ${now})`)
  return undefined
}

/** The apps here whose suspension differs from live mode, where these alone are suspended. */
export async function differentSuspensions(db: Db, live: SuspendedApp[]): Promise<SuspendedApp[]> {
  const ids = live.map(({ id }) => id)
  const times = live.map(({ suspended_at }) => suspended_at)
  return await db.rows<SuspendedApp>(sql`select a.id, given.suspended_at from apps a
    left join unnest(${ids}::text[], ${times}::timestamptz[]) as given (id, suspended_at)
      on given.id = a.id
    where (a.is_suspended or a.id = any(${ids}))
      and a.suspended_at is distinct from given.suspended_at`)
}

/**
 * Records an image of live mode in test mode before its files are stored, as `addImage` does; again
 * if an earlier copy was cut off.
 */
export async function mirrorImage(db: Db, now: Date, image: AppImage): Promise<void> {
  const { id, app_id, kind, alt, width, height } = image
  await db.run(sql`insert into app_images
      (id, app_id, kind, alt, width, height, created_at, removed_at)
    values (${id}, ${app_id}, ${kind}, ${alt}, ${width}, ${height}, ${now}, ${now})
    on conflict (id) do update set removed_at = excluded.removed_at
      where app_images.removed_at is not null`)
}
