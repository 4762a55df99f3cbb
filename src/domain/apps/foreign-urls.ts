import type { Db } from '#platform/db'
import { type App, setLoginUrl } from './apps.ts'
import { lockClientOf, setRedirectLists } from './clients.ts'
import { readReturnUrl } from './return-url.ts'

/** Removes an app's URLs that are not on its new website, and returns them. */
export async function removeForeignUrls(
  tx: Db,
  app: Pick<App, 'id' | 'oauth_login_url'>,
  url: string,
): Promise<string[]> {
  const { client_id, ...lists } = await lockClientOf(tx, app.id)
  const isOn = (address: string) => readReturnUrl(address, url) !== undefined
  const redirect_uris = lists.redirect_uris.filter(isOn)
  const post_logout_redirect_uris = lists.post_logout_redirect_uris.filter(isOn)
  await setRedirectLists(tx, client_id, { redirect_uris, post_logout_redirect_uris })
  if (!isOn(app.oauth_login_url)) await setLoginUrl(tx, app.id, url)
  const before = [...lists.redirect_uris, ...lists.post_logout_redirect_uris, app.oauth_login_url]
  return [...new Set(before.filter((address) => !isOn(address)))]
}
