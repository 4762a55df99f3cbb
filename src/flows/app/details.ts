import * as apps from '#domain/apps'
import { lockOwnApp } from '#flows/app-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/**
 * Saves an app's name, website and slug, or returns every fault; what is absent stays. A published
 * app keeps its slug, as links lead to it. If the website moves to another domain, URLs on the
 * former one are removed.
 */
export async function saveAppDetails(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { app_id, entered }: { app_id: AppId; entered: Partial<apps.AppDetails> },
): Promise<{ slug: string; removed: string[] } | { faults: FieldFault[] }> {
  try {
    return await db.tx((tx) => saveDetails(tx, clock.now(), actor, { app_id, entered }))
  } catch (error) {
    if (apps.isSlugTaken(error)) return { faults: [SLUG_TAKEN] }
    throw error
  }
}

const SLUG_TAKEN: FieldFault = { path: 'slug', message: 'Another app has this address.' }

async function saveDetails(
  tx: Db,
  now: Date,
  actor: ActorOf<'seller'>,
  { app_id, entered }: { app_id: AppId; entered: Partial<apps.AppDetails> },
): Promise<{ slug: string; removed: string[] } | { faults: FieldFault[] }> {
  const app = await lockOwnApp(tx, actor, app_id)
  const { name, url, slug } = { ...app, ...entered }
  const details = {
    name: name.replace(/\s+/g, ' ').trim(),
    url: apps.readWebsite(url),
    slug: slug.trim(),
  }
  const faults = apps.detailsFaults(details)
  if (faults.length > 0) return { faults }
  if (app.is_published && details.slug !== app.slug) {
    return { faults: [{ path: 'slug', message: 'A published app keeps its address.' }] }
  }
  await apps.setDetails(tx, app_id, details)
  const removed = await apps.removeForeignUrls(tx, app, details.url)
  const before = { name: app.name, url: app.url, slug: app.slug }
  const detail = { before, after: details, removed }
  await audit(tx, now, { actor, action: 'app.details_changed', subject: app_id, detail })
  return { slug: details.slug, removed }
}
