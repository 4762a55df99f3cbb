import * as catalog from '#domain/catalog'
import { lockOwnListing } from '#flows/app-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { AppId, ProductId } from '#platform/ids'

/**
 * Highlights one of an app's plans on its product page, or none. False for a plan that is not for
 * sale. Throws `not_found` if the app was transferred to another seller.
 */
export async function highlightPlan(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { app_id, product_id }: { app_id: AppId; product_id: ProductId | null },
): Promise<boolean> {
  return await db.tx(async (tx) => {
    await lockOwnListing(tx, actor, app_id)
    if (!(await catalog.highlight(tx, app_id, product_id))) return false
    const action = 'app.plan_highlighted'
    await audit(tx, clock.now(), { actor, action, subject: app_id, detail: { product_id } })
    return true
  })
}
