import type * as apps from '#domain/apps'
import type * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import { type NotContinued, notContinued } from '#flows/payment'
import { appTime, type World } from '#flows/world'
import type { LicenseId, UserId } from '#platform/ids'

/** An imported license that its buyer can continue with a card. */
export interface ContinuableLicense {
  license_id: LicenseId
  product_id: catalog.ProductPrice['product_id']
  /** The end of what was paid at the other service, and the day of the first charge. */
  paid_until: Date
  /** The recurring prices of its plan that are for sale, shortest period first. */
  prices: catalog.ProductPrice[]
}

/**
 * What the owner of an imported license can continue it at; undefined if the license cannot be
 * continued, or its plan has no recurring price for sale. The app's own seller is never charged.
 */
export async function findContinuable(
  world: World,
  app: apps.App,
  { license, user_id }: { license: licensing.License; user_id: UserId },
): Promise<ContinuableLicense | undefined> {
  const { db } = world
  const { license_id, product_id, period_end: paid_until } = license
  const found = await licensing.getPausable(db, license_id)
  if (found.user_id !== user_id || !paid_until) return undefined
  if (licensing.continuationRefusal(appTime(world, app), found)) return undefined
  if (!app.is_on_sale) return undefined
  if (await sellers.memberOf(db, { seller_id: app.seller_id, user_id })) return undefined
  const prices = (await catalog.livePrices(db, app.id)).filter(
    (price) => price.product_id === product_id && price.frequency !== null,
  )
  return prices.length > 0 ? { license_id, product_id, paid_until, prices } : undefined
}

/**
 * Why a cart cannot continue its imported license; undefined if it can, and for a cart that
 * continues none or is paid.
 */
export async function cartRefusal(
  world: World,
  app: apps.App,
  { cart, price }: { cart: billing.Cart; price: catalog.ProductPrice },
): Promise<NotContinued | undefined> {
  const { continues_license_id: license_id, user_id, order_id } = cart
  if (license_id === null || order_id !== null) return undefined
  const license = await licensing.getPausable(world.db, license_id)
  const { product_id } = price
  // A page shows the license's current state, so its end always matches.
  const wanted = { license_id, user_id, product_id, period_end: license.period_end }
  return notContinued(appTime(world, app), license, wanted)
}
