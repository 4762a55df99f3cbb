import type { App } from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as discounts from '#domain/discounts'
import { lockOwnListing } from '#flows/app-access'
import { appTime, type World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { type DiscountId, mintId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/**
 * Adds a discount code to an app, or returns everything that is wrong with it. Its terms never
 * change.
 */
export async function createDiscount(
  world: World,
  actor: ActorOf<'seller'>,
  { app, entered }: { app: App; entered: discounts.NewDiscount },
): Promise<{ id: DiscountId } | { faults: FieldFault[] }> {
  const { db, clock, random } = world
  const products = await catalog.paidProducts(db, app.id)
  const now = appTime(world, app)
  const read = discounts.readNewDiscount(
    now,
    entered,
    products.map(({ id }) => id),
  )
  if ('faults' in read) return read
  const id = mintId(random, 'disc')
  const { code, terms } = read
  return await db.tx(async (tx) => {
    await lockOwnListing(tx, actor, app.id)
    if (!(await discounts.addDiscount(tx, now, { id, app_id: app.id, code, ...terms }))) {
      return { faults: [{ path: 'code', message: 'This app has this code already.' }] }
    }
    const detail = { app_id: app.id, code, discount: discounts.discountText(terms) }
    await audit(tx, clock.now(), { actor, action: 'discount.created', subject: id, detail })
    return { id }
  })
}

/**
 * Turns a code off, so that no purchase can use it, or on again; false if the app has no such code.
 * Subscriptions that have the discount keep it.
 */
export async function switchDiscount(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { app, id, to }: { app: App; id: DiscountId; to: 'on' | 'off' },
): Promise<boolean> {
  return await db.tx(async (tx) => {
    await lockOwnListing(tx, actor, app.id)
    const change = { app_id: app.id, id, is_active: to === 'on' }
    const code = await discounts.setActive(tx, change)
    if (code === undefined) return false
    const action = `discount.turned_${to}` as const
    await audit(tx, clock.now(), { actor, action, subject: id, detail: { app_id: app.id, code } })
    return true
  })
}
