import type { App } from '#domain/apps'
import * as billing from '#domain/billing'
import type { ProductPrice } from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { TaxAddress } from '#domain/tax'
import type { World } from '#flows/world'
import type { Database, Db } from '#platform/db'
import {
  type AffiliateId,
  type AppId,
  type CartId,
  type LicenseId,
  mintId,
  type UserId,
} from '#platform/ids'
import { writeTogether } from '#platform/write-together'
import { quoteCart } from './cart-discount.ts'

/** The buyer's details, parsed and validated. */
export interface Details extends TaxAddress {
  email: string
  email_normalized: string
}

/** Who opens the cart, from where, and what for. */
export interface Opening {
  app: App
  price: ProductPrice
  details: Details
  browser_hash: Buffer
  next_url: string | null
  session: identity.Session | undefined
  affiliate_id: AffiliateId | null
  brought_by: billing.BroughtBy
  /** The discount code that was entered, if any. */
  discount_code?: string | null
  /** Of the page; English by default. */
  language?: string
  /** The imported license that the buyer continues with a card; see `findContinuable`. */
  continues_license_id?: LicenseId | undefined
  /** A trial that a scenario grants in test mode. */
  trial_days?: number
}

/** Where the buyer goes after the first step, and whether the app has no such discount code. */
export type Opened =
  | { step: 'card' | 'sign_in'; cart_id: CartId; is_code_unknown: boolean }
  | { step: 'owner'; license: licensing.License }

/**
 * The first step of a checkout: opens a cart with a stored tax quote. An address with an account is
 * asked to sign in; a signed-in owner is recognized (spec: rule 3, buyer flow 1).
 */
export async function openCart(world: World, opening: Opening): Promise<Opened> {
  const { db, clock, random } = world
  const { price, details, session, continues_license_id } = opening
  const now = clock.now()
  const user = await identity.findByEmail(db, details.email_normalized)
  const isSelf = user !== undefined && mayBuyAs(session, user.id, price.app_id)
  if (isSelf) {
    const license = await licensing.findLive(db, { app_id: price.app_id, ...details })
    if (license && license.license_id !== continues_license_id) return { step: 'owner', license }
  }
  const cart_id = mintId(random, 'cart')
  const { state, zip, email_normalized } = details
  const { quoted, refusal, storeQuote } = await quoteCart(world, {
    app: opening.app,
    price,
    code: opening.discount_code,
    email_normalized: isSelf ? email_normalized : null,
    cart_id: null,
    address: { state, zip },
  })
  const write = async (to: Db) =>
    await writeTogether(to, (writes) => [
      storeQuote(writes),
      billing.addCart(writes, now, {
        id: cart_id,
        app_id: price.app_id,
        price_id: price.id,
        browser_hash: opening.browser_hash,
        next_url: opening.next_url,
        ...details,
        country: 'US',
        user_id: isSelf ? user.id : null,
        ...quoted,
        continues_license_id: continues_license_id ?? null,
        affiliate_id: opening.affiliate_id,
        brought_by: opening.brought_by,
        trial_days: opening.trial_days ?? null,
        language: opening.language ?? 'en',
      }),
    ])
  if (!isSelf) await write(db)
  else if (!(await writeFor(db, { user_id: user.id, email_normalized }, write)))
    return await openCart(world, opening)
  const step = user && !isSelf ? 'sign_in' : 'card'
  return { step, cart_id, is_code_unknown: refusal === 'unknown' }
}

/** Writes the cart of an account; false if it was deleted or got another email since. */
export async function writeFor(
  db: Database,
  account: { user_id: UserId; email_normalized: string },
  write: (tx: Db) => Promise<unknown>,
): Promise<boolean> {
  return await db.tx(async (tx) => {
    const user = await identity.lockUndeleted(tx, account.user_id)
    const isSame = user?.email_normalized === account.email_normalized
    if (isSame) await write(tx)
    return isSame
  })
}

/**
 * Whether a session may buy: for its own account only, and within its app if it is limited to one.
 */
export function mayBuyAs(
  session: identity.Session | undefined,
  user_id: UserId,
  app_id: AppId,
): boolean {
  return session?.user_id === user_id && (session.app_id === null || session.app_id === app_id)
}
