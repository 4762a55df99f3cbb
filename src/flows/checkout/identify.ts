import * as billing from '#domain/billing'
import type * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { mayBuyAs, writeFor } from './open-cart.ts'

/**
 * Lets a signed-in buyer continue with a cart if their account has the cart's email. The result
 * includes their license, if they already have one. Undefined for any other account, and if the
 * account was deleted or got another email since.
 */
export async function identifyBuyer(
  { db, clock }: World,
  cart: billing.Cart,
  session: identity.Session | undefined,
): Promise<{ license: licensing.License | undefined } | undefined> {
  const { email_normalized } = cart
  if (!session || session.email_normalized !== email_normalized) return undefined
  const { user_id } = session
  if (!mayBuyAs(session, user_id, cart.app_id)) return undefined
  const isWritten = await writeFor(db, { user_id, email_normalized }, (tx) =>
    billing.identifyCart(tx, clock.now(), { cart_id: cart.id, user_id }),
  )
  if (!isWritten) return undefined
  const license = await licensing.findLive(db, { app_id: cart.app_id, email_normalized })
  const isContinued = license?.license_id === cart.continues_license_id
  return { license: isContinued ? undefined : license }
}
