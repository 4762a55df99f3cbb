import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { type AppId, type CartId, mintId, type ProductId, type UserId } from '#platform/ids'

/** A request about a preview, by a browser's session, which may be signed out. */
export interface PreviewRequest {
  session: { user_id: UserId; app_id: AppId | null } | undefined
  request_id: string
}

/**
 * Gives a member of an app's seller a preview of a plan; false for any other account, and for an
 * unknown plan.
 */
export async function startPreview(
  world: World,
  request: PreviewRequest,
  facts: { app: apps.App; product_id: ProductId },
): Promise<boolean> {
  const { app, product_id } = facts
  const plan = (await catalog.products(world.db, app.id)).find(({ id }) => id === product_id)
  if (!plan || plan.is_free) return false
  return await world.db.tx(async (tx) => {
    const member = await lockMemberOfApp(tx, app.id, request.session)
    if (!member) return false
    await grant(world, tx, { ...member, product_id, by: 'dashboard' }, request)
    return true
  })
}

/**
 * The signed-in member of an app's seller. Until the transaction ends, the app is not transferred
 * and the member is not removed: both end previews, and would miss this one.
 */
async function lockMemberOfApp(
  tx: Db,
  app_id: AppId,
  session: PreviewRequest['session'],
): Promise<{ app: apps.App; user_id: UserId } | undefined> {
  if (!session) return undefined
  const { user_id } = session
  const app = await apps.lock(tx, app_id)
  await sellers.lockMemberships(tx, user_id)
  return (await sellers.isMember(tx, app.seller_id, session)) ? { app, user_id } : undefined
}

/** Ends a member's preview; its key is `canceled` from now on. */
export async function endPreview(
  { db, clock }: World,
  { session, request_id }: PreviewRequest,
  { app }: { app: apps.App },
): Promise<void> {
  if (!session || !(await sellers.isMember(db, app.seller_id, session))) return
  const now = clock.now()
  const { user_id } = session
  await db.tx(async (tx) => {
    const subject = await licensing.endPreview(tx, now, { app_id: app.id, user_id })
    if (subject === undefined) return
    const { seller_id } = app
    const actor = { kind: 'seller', user_id, seller_id, request_id } as const
    await audit(tx, now, { actor, action: 'license.preview_ended', subject })
  })
}

/** The outcome of the last button of a walkthrough. */
export type Finished = { outcome: 'completed' | 'sign_in_needed' | 'gone' }

/**
 * Finishes a walkthrough of the seller's own buy link (spec: States and transitions, preview): it
 * creates a license, and no order, charge or receipt. Repeated, it changes nothing.
 */
export async function finishWalkthrough(
  world: World,
  request: PreviewRequest,
  cart_id: CartId,
): Promise<Finished> {
  const { db, clock } = world
  return await db.tx(async (tx): Promise<Finished> => {
    const cart = await billing.lockCart(tx, cart_id)
    const price = await catalog.findLivePrice(tx, cart.price_id)
    const app = price && (await apps.findOnSale(tx, price.app_id))
    if (!app) return { outcome: 'gone' }
    const { session } = request
    if (cart.user_id !== session?.user_id) return { outcome: 'sign_in_needed' }
    const member = await lockMemberOfApp(tx, app.id, session)
    if (!member) return { outcome: 'sign_in_needed' }
    if (cart.completed_at) return { outcome: 'completed' }
    const { product_id } = price
    await grant(world, tx, { ...member, product_id, by: 'walkthrough' }, request)
    await billing.completeWalkthrough(tx, clock.now(), cart.id)
    return { outcome: 'completed' }
  })
}

/** How a preview began: on the dashboard, or by a walkthrough of the seller's own buy link. */
type PreviewCause = 'dashboard' | 'walkthrough'

async function grant(
  { clock, random, keys }: World,
  tx: Db,
  facts: { app: apps.App; user_id: UserId; product_id: ProductId; by: PreviewCause },
  { request_id }: PreviewRequest,
): Promise<void> {
  const now = clock.now()
  const { app, user_id, product_id, by } = facts
  const subject = await licensing.grantPreview(
    tx,
    now,
    { keys, random },
    { license_id: mintId(random, 'lic'), app_id: app.id, user_id, product_id },
  )
  await audit(tx, now, {
    actor: { kind: 'seller', user_id, seller_id: app.seller_id, request_id },
    action: 'license.preview_granted',
    subject,
    detail: { product_id, by },
  })
}
