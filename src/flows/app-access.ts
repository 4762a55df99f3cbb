import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import type { ActorOf } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId, SellerId } from '#platform/ids'
import { Problem } from '#platform/problem'

/**
 * Ends a former seller's access to an app: the client secret, the tokens that its server received,
 * previews of its members, and the files that it imported (decision 100).
 */
export async function endSellerAccess(
  tx: Db,
  now: Date,
  { app_id, from_seller }: { app_id: AppId; from_seller: SellerId },
): Promise<void> {
  const { client_id } = await apps.lockClientOf(tx, app_id)
  await apps.revokeSecret(tx, client_id)
  await apps.endClaims(tx, client_id)
  await grants.revokeClient(tx, client_id)
  await imports.markFormerDeleted(tx, now, { app_id, from_seller })
  for (const { user_id } of await sellers.membersOf(tx, from_seller)) {
    await licensing.endPreview(tx, now, { app_id, user_id })
  }
}

/**
 * Locks an app that a member or an agent changes, until the transaction ends. Throws `not_found` if
 * it was transferred to another seller since the request was authorized (decision 100).
 */
export async function lockOwnApp(
  tx: Db,
  actor: ActorOf<'seller' | 'agent'>,
  app_id: AppId,
): Promise<apps.App> {
  return ownApp(actor, await apps.lock(tx, app_id))
}

/**
 * Like `lockOwnApp`, for a change of what the app sells or shows, and for an action on its
 * customers: purchases do not wait for it, and a transfer does. Customers and licenses are locked
 * after it.
 */
export async function lockOwnListing(
  tx: Db,
  actor: Pick<ActorOf<'seller' | 'agent'>, 'seller_id'>,
  app_id: AppId,
): Promise<apps.App> {
  await apps.lockForEditing(tx, app_id)
  return ownApp(actor, await apps.get(tx, app_id))
}

function ownApp(
  { seller_id }: Pick<ActorOf<'seller' | 'agent'>, 'seller_id'>,
  app: apps.App,
): apps.App {
  if (seller_id !== undefined && app.seller_id !== seller_id) {
    throw new Problem(404, 'not_found', 'This app belongs to another seller.')
  }
  return app
}
