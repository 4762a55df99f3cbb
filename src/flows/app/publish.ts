import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { lockOwnApp } from '#flows/app-access'
import { lockMember } from '#flows/member-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { AppId } from '#platform/ids'

/**
 * Publishes an app: it appears in the marketplace and, with external sales enabled, is for sale
 * (spec: What the service does, 5). It needs a plan.
 */
export async function publishApp(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  app_id: AppId,
): Promise<'published' | 'needs_plan' | 'archived'> {
  return await db.tx(async (tx) => {
    const app = await lockOwnApp(tx, actor, app_id)
    const { seller_id } = app
    // Their account may be being deleted: an app on sale must have a seller who is paid.
    await lockMember(tx, { seller_id, user_id: actor.user_id }, 'edit_apps')
    if (app.archived_at) return 'archived'
    if ((await catalog.products(tx, app_id)).length === 0) return 'needs_plan'
    if (app.is_published) return 'published'
    await apps.setOnSale(tx, app_id, { ...app, is_published: true })
    await audit(tx, clock.now(), { actor, action: 'app.published', subject: app_id })
    return 'published'
  })
}

/** Takes an app out of the marketplace and off sale; its licenses stay valid. */
export async function unpublishApp(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  app_id: AppId,
): Promise<void> {
  await db.tx(async (tx) => {
    const app = await lockOwnApp(tx, actor, app_id)
    if (!app.is_published) return
    await apps.setOnSale(tx, app_id, { ...app, is_published: false })
    await audit(tx, clock.now(), { actor, action: 'app.unpublished', subject: app_id })
  })
}

/** Archives an app: off sale and out of the seller's list. Its licenses stay valid. */
export async function archiveApp(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  app_id: AppId,
): Promise<void> {
  const now = clock.now()
  await db.tx(async (tx) => {
    if ((await lockOwnApp(tx, actor, app_id)).archived_at) return
    await apps.setArchived(tx, app_id, now)
    await audit(tx, now, { actor, action: 'app.archived', subject: app_id })
  })
}

/** Restores an archived app, unpublished. */
export async function restoreApp(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  app_id: AppId,
): Promise<void> {
  await db.tx(async (tx) => {
    if (!(await lockOwnApp(tx, actor, app_id)).archived_at) return
    await apps.setArchived(tx, app_id, null)
    await audit(tx, clock.now(), { actor, action: 'app.restored', subject: app_id })
  })
}
