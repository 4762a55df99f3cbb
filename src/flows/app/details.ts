import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/**
 * Saves an app's name, website and slug, or returns every fault. A published app keeps its slug, as
 * links lead to it. If the website moves to another domain, URLs on the former one are removed.
 */
export async function saveAppDetails(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { app_id, entered }: { app_id: AppId; entered: apps.AppDetails },
): Promise<{ slug: string; removed: string[] } | { faults: FieldFault[] }> {
  const details = {
    name: entered.name.replace(/\s+/g, ' ').trim(),
    url: apps.readWebsite(entered.url),
    slug: entered.slug.trim(),
  }
  const faults = apps.detailsFaults(details)
  if (faults.length > 0) return { faults }
  const now = clock.now()
  return await db.tx(async (tx) => {
    const app = await apps.lock(tx, app_id)
    if (app.is_published && details.slug !== app.slug) {
      return { faults: [{ path: 'slug', message: 'A published app keeps its address.' }] }
    }
    if (!(await apps.setDetails(tx, app_id, details))) {
      return { faults: [{ path: 'slug', message: 'Another app has this address.' }] }
    }
    const removed = await removeForeignUrls(tx, app, details.url)
    const { name, url, slug } = app
    const detail = { before: { name, url, slug }, after: details, removed }
    await audit(tx, now, { actor, action: 'app.details_changed', subject: app_id, detail })
    return { slug: details.slug, removed }
  })
}

/** Removes the URLs that are not on an app’s new website. */
async function removeForeignUrls(tx: Db, app: apps.App, url: string): Promise<string[]> {
  const { client_id, ...lists } = await apps.lockClientOf(tx, app.id)
  const isOn = (address: string) => apps.readReturnUrl(address, url) !== undefined
  const redirect_uris = lists.redirect_uris.filter(isOn)
  const post_logout_redirect_uris = lists.post_logout_redirect_uris.filter(isOn)
  await apps.setRedirectLists(tx, client_id, { redirect_uris, post_logout_redirect_uris })
  if (!isOn(app.oauth_login_url)) await apps.setLoginUrl(tx, app.id, url)
  const before = [...lists.redirect_uris, ...lists.post_logout_redirect_uris, app.oauth_login_url]
  return [...new Set(before.filter((address) => !isOn(address)))]
}
