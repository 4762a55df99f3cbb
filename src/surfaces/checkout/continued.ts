import type { FastifyInstance } from 'fastify'
import type * as apps from '#domain/apps'
import type * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { type ContinuableLicense, findContinuable, mayBuyAs } from '#flows/checkout'
import type { NotContinued } from '#flows/payment'
import type { World } from '#flows/world'
import { CART_PATH } from '#http/guards/cart'
import { manageUrl } from '#http/guards/license'
import { AnsweredByGuard, redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import { NotContinuedPage } from './end-pages.tsx'
import { type BuyLink, requireOwnCart } from './purchase.ts'

/**
 * The imported license that a buy link continues; undefined for a link that names none. A person
 * who cannot continue it at this price is redirected to the manage page.
 */
export async function requireContinued(
  world: World,
  { app, price, next_url }: BuyLink,
  {
    session,
    license_id,
  }: { session: identity.Session | undefined; license_id: string | undefined },
): Promise<ContinuableLicense | undefined> {
  if (license_id === undefined) return undefined
  const continued = await ownContinuable(world, app, session)
  const isNamed = continued && continued.license_id === readId('lic', license_id)
  if (isNamed && continued.prices.some(({ id }) => id === price.id)) return continued
  const address = manageUrl(app.id, '', { next: next_url ?? undefined })
  throw new AnsweredByGuard((reply) => redirectTo(reply, address))
}

async function ownContinuable(
  world: World,
  app: apps.App,
  session: identity.Session | undefined,
): Promise<ContinuableLicense | undefined> {
  if (!session || !mayBuyAs(session, session.user_id, app.id)) return undefined
  const { user_id, email_normalized } = session
  const license = await licensing.findLive(world.db, { app_id: app.id, email_normalized })
  return license && (await findContinuable(world, app, { license, user_id }))
}

/**
 * Says why an imported license cannot be continued: it has changed or ended since the buyer began.
 */
export function declareNotContinued(scope: FastifyInstance, world: World): void {
  scope.get(`${CART_PATH}/not-continued`, async (request, reply) => {
    const { cart, app, purchase, not_continued } = await requireOwnCart(world, request, reply)
    if (!not_continued) return redirectTo(reply, `/checkout/${cart.id}/confirm`)
    const manage_url = manageUrl(app.id, '', { next: cart.next_url ?? undefined })
    const page = NotContinuedPage({ purchase, why: whyOf(not_continued), manage_url })
    return sendPage(reply, page, { status: 409 })
  })
}

function whyOf(reason: NotContinued) {
  const isChanged = reason === 'foreign' || reason === 'other_plan' || reason === 'other_end'
  return isChanged ? 'changed' : reason
}
