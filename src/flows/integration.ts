import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { audit } from '#platform/audit'
import type { FieldFault } from '#platform/problem'
import { mintSecret } from '#platform/secrets'

/** Who changes the settings of an app, and by which request. */
export interface Editor {
  user_id: string
  request_id: string
}

/** Saves an app's addresses, or nothing at all where one of them has a fault. */
export async function saveAddresses(
  { db, clock }: World,
  editor: Editor,
  facts: { app: apps.App; addresses: apps.Addresses },
): Promise<FieldFault[]> {
  const { app, addresses } = facts
  const faults = apps.addressFaults(app, addresses)
  if (faults.length > 0) return faults
  const now = clock.now()
  await db.tx(async (tx) => {
    const client = await apps.lockClientOf(tx, app.id)
    const { oauth_login_url } = (await apps.find(tx, app.id))!
    const { redirect_uris, post_logout_redirect_uris } = client
    const before = { oauth_login_url, redirect_uris, post_logout_redirect_uris }
    await apps.setLoginUrl(tx, app.id, addresses.oauth_login_url)
    await apps.setRedirectLists(tx, client.client_id, addresses)
    await audit(tx, now, {
      actor: editor.user_id,
      action: 'app.addresses_changed',
      subject: app.id,
      request_id: editor.request_id,
      detail: { before, after: addresses },
    })
  })
  return []
}

/**
 * Makes an app a new client secret; the old one stops at once, and the new one is returned here and
 * never again. Undefined where `replaces` does not name the present secret any more: the same form
 * sent twice replaces one secret.
 */
export async function rotateSecret(
  { db, clock, random }: World,
  editor: Editor,
  facts: { app_id: string; replaces: string },
): Promise<string | undefined> {
  const { app_id } = facts
  const now = clock.now()
  return await db.tx(async (tx) => {
    const client = await apps.lockClientOf(tx, app_id)
    if (apps.secretName(client) !== facts.replaces) return undefined
    const client_secret = mintSecret(random)
    await apps.replaceSecret(tx, client.client_id, client_secret)
    await audit(tx, now, {
      actor: editor.user_id,
      action: 'app.secret_rotated',
      subject: app_id,
      request_id: editor.request_id,
    })
    return client_secret
  })
}

/** Turns an app's hosted sign-in add-on on or off (spec: What the service does, 6). */
export async function switchAddOn(
  { db, clock }: World,
  editor: Editor,
  facts: { app_id: string; to: 'on' | 'off' },
): Promise<void> {
  const { app_id, to } = facts
  const now = clock.now()
  const change = to === 'on' ? apps.enableAddOn : apps.disableAddOn
  await db.tx(async (tx) => {
    if (!(await change(tx, now, app_id))) return
    await audit(tx, now, {
      actor: editor.user_id,
      action: to === 'on' ? 'app.add_on_enabled' : 'app.add_on_disabled',
      subject: app_id,
      request_id: editor.request_id,
    })
  })
}
