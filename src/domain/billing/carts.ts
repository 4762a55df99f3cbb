import type { Db } from '#platform/db'
import type {
  AffiliateId,
  AppId,
  CartId,
  DiscountId,
  LicenseId,
  OrderId,
  PriceId,
  QuoteId,
  UserId,
} from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import type { BroughtBy } from './fee.ts'

/** The card that a cart will be charged to; the payments module defines its shape. */
export interface CartCard {
  token: string
  brand: string
  last4: string
  exp_month: number
  exp_year: number
  billing_country: string
  billing_zip: string
  issuer_country: string
  fingerprint: string
}

/** A purchase in progress: what is bought, by whom, and the steps that are done. */
export interface Cart {
  id: CartId
  app_id: AppId
  price_id: PriceId
  browser_hash: Buffer
  next_url: string | null
  email: string | null
  email_normalized: string | null
  country: string | null
  zip: string | null
  state: string | null
  /** Set once the buyer proved to own the account of this email. */
  user_id: UserId | null
  tax_quote_id: QuoteId | null
  /** The imported license that the buyer continues; null: the purchase is a new one. */
  continues_license_id: LicenseId | null
  /** The processor's card page, until a card is read from it. */
  card_entry_id: string | null
  card_entry_url: string | null
  /** The card page before the buyer chose another language: it may be open in another tab. */
  earlier_card_entry_id: string | null
  card: CartCard | null
  affiliate_id: AffiliateId | null
  brought_by: BroughtBy
  /** The trial of a scenario in test mode; null: the plan's own trial. */
  trial_days: number | null
  /** The discount code that was entered, in upper case, whether or not it applies. */
  discount_code: string | null
  /**
   * The discount that applies, and the amount it takes off the quoted price; null and zero if none.
   */
  discount_id: DiscountId | null
  discount_amount: Cents
  /** The language of the pages that the buyer saw last, as the tag of a message catalog. */
  language: string
  order_id: OrderId | null
  completed_at: Date | null
  /** When the buyer signed out: from then on the success page does not sign them in. */
  sign_in_ended_at: Date | null
  created_at: Date
}

/** The discount of a cart. */
export type CartDiscount = Pick<Cart, 'discount_code' | 'discount_id' | 'discount_amount'>

/** The columns of `Cart`, of `carts`. */
export const CART_COLUMNS = sql`carts.id, carts.app_id, carts.price_id, carts.browser_hash,
  carts.next_url, carts.email, carts.email_normalized, carts.country, carts.zip, carts.state,
  carts.user_id, carts.tax_quote_id, carts.continues_license_id, carts.card_entry_id,
  carts.card_entry_url, carts.earlier_card_entry_id, carts.card, carts.affiliate_id,
  carts.brought_by, carts.trial_days,
  carts.discount_code, carts.discount_id, carts.discount_amount, carts.language, carts.order_id,
  carts.completed_at, carts.sign_in_ended_at, carts.created_at`

/** Opens a cart with the buyer's details (the first step). */
export async function addCart(
  db: Writes,
  now: Date,
  cart: Pick<Cart, 'id' | 'app_id' | 'price_id' | 'browser_hash' | 'next_url' | 'user_id'> &
    Pick<Cart, 'affiliate_id' | 'brought_by' | 'tax_quote_id'> &
    Record<'email' | 'email_normalized' | 'country' | 'zip' | 'state', string> &
    CartDiscount &
    Partial<Pick<Cart, 'trial_days' | 'continues_license_id'>> &
    Pick<Cart, 'language'>,
): Promise<void> {
  await db.run(sql`insert into carts (id, app_id, price_id, browser_hash, next_url, email,
      email_normalized, country, zip, state, user_id, tax_quote_id, continues_license_id,
      affiliate_id, brought_by, trial_days, discount_code, discount_id, discount_amount, language,
      created_at, updated_at)
    values (${cart.id}, ${cart.app_id}, ${cart.price_id}, ${cart.browser_hash}, ${cart.next_url},
      ${cart.email}, ${cart.email_normalized}, ${cart.country}, ${cart.zip}, ${cart.state},
      ${cart.user_id}, ${cart.tax_quote_id}, ${cart.continues_license_id ?? null},
      ${cart.affiliate_id}, ${cart.brought_by},
      ${cart.trial_days ?? null}, ${cart.discount_code}, ${cart.discount_id},
      ${cart.discount_amount}, ${cart.language}, ${now}, ${now})`)
}

/** A cart by its id. */
export async function findCart(db: Db, id: CartId): Promise<Cart | undefined> {
  return await db.maybe<Cart>(sql`select ${CART_COLUMNS} from carts where id = ${id}`)
}

/** What an ended cart has in place of its browser's hash, which no browser's secret has. */
const ENDED_HASH = sql`sha256(convert_to('ended ' || carts.id, 'UTF8'))`

/** A cart that is locked, and whether `endCartsOf` ended it: nothing more is charged for it. */
export interface LockedCart extends Cart {
  has_ended: boolean
}

/** A cart, with its row locked until the transaction ends. */
export async function lockCart(db: Db, id: CartId): Promise<LockedCart> {
  return await db.one<LockedCart>(sql`select ${CART_COLUMNS},
      carts.browser_hash = ${ENDED_HASH} as has_ended
    from carts where id = ${id} for update`)
}

/**
 * Locks the carts of an account and of its emails until the transaction ends. Whatever locks
 * several carts does so in the order of their ids.
 */
export async function lockCartsOf(
  db: Db,
  { user_id, emails }: { user_id: UserId; emails: string[] },
): Promise<void> {
  await db.rows(sql`select id from carts
    where user_id = ${user_id} or email_normalized = any(${emails}) order by id for update`)
}

/** Records that the buyer of a cart proved to own an account. */
export async function identifyCart(
  db: Db,
  now: Date,
  facts: { cart_id: CartId; user_id: UserId },
): Promise<void> {
  await db.run(sql`update carts set user_id = ${facts.user_id}, updated_at = ${now}
    where id = ${facts.cart_id}`)
}

/**
 * Records the processor's card page, and returns the URL of the effective one: the first of two
 * that were opened concurrently.
 */
export async function recordCardEntry(
  db: Db,
  now: Date,
  facts: { cart_id: CartId; card_entry_id: string; card_entry_url: string },
): Promise<string> {
  const { cart_id, card_entry_id, card_entry_url } = facts
  const row = await db.one<{ card_entry_url: string }>(sql`update carts
    set card_entry_id = case when card_entry_url is null then ${card_entry_id}
        else card_entry_id end,
      card_entry_url = coalesce(card_entry_url, ${card_entry_url}), updated_at = ${now}
    where id = ${cart_id} returning card_entry_url`)
  return row.card_entry_url
}

/** Removes the card pages after a card was refused. */
export async function removeCardEntry(db: Db, now: Date, cart_id: CartId): Promise<void> {
  await db.run(sql`update carts set card_entry_id = null, card_entry_url = null,
    earlier_card_entry_id = null, updated_at = ${now} where id = ${cart_id}`)
}

/** Stores the card that was entered, and removes the card pages. */
export async function setCard(
  db: Db,
  now: Date,
  facts: { cart_id: CartId; card: CartCard },
): Promise<void> {
  await db.run(sql`update carts set card = ${JSON.stringify(facts.card)}, card_entry_id = null,
    card_entry_url = null, earlier_card_entry_id = null, updated_at = ${now}
    where id = ${facts.cart_id}`)
}

/** Has the processor's card page opened again; the one that was open stays valid. */
const REOPENED_CARD_PAGE = sql`card_entry_id = null, card_entry_url = null,
  earlier_card_entry_id = coalesce(card_entry_id, earlier_card_entry_id)`

/**
 * Replaces the quote of a cart whose price or discount changed, or whose quote has expired. The
 * card page is opened again, with the new amounts.
 */
export async function requote(
  db: Writes,
  now: Date,
  facts: { cart_id: CartId; tax_quote_id: QuoteId } & CartDiscount,
): Promise<void> {
  await db.run(sql`update carts set tax_quote_id = ${facts.tax_quote_id},
      discount_code = ${facts.discount_code}, discount_id = ${facts.discount_id},
      discount_amount = ${facts.discount_amount}, ${REOPENED_CARD_PAGE}, updated_at = ${now}
    where id = ${facts.cart_id}`)
}

/**
 * Sets the language of the purchases that a browser has in progress. The card page is opened again,
 * because it shows the order in another one.
 */
export async function setCartLanguage(
  db: Db,
  now: Date,
  { browser_hash, language }: Pick<Cart, 'browser_hash' | 'language'>,
): Promise<void> {
  await db.run(sql`update carts set language = ${language}, ${REOPENED_CARD_PAGE},
      updated_at = ${now}
    where id in (select id from carts where browser_hash = ${browser_hash}
      and completed_at is null and language <> ${language} order by id for update)`)
}

/** Closes a cart with the order it became. */
export async function completeCart(
  db: Writes,
  now: Date,
  facts: { cart_id: CartId; order_id: OrderId; user_id: UserId },
): Promise<void> {
  await db.run(sql`update carts set order_id = ${facts.order_id}, user_id = ${facts.user_id},
    completed_at = ${now}, updated_at = ${now} where id = ${facts.cart_id}`)
}

/** Closes the cart of a seller's walkthrough, which becomes no order. */
export async function completeWalkthrough(db: Db, now: Date, cart_id: CartId): Promise<void> {
  await db.run(sql`update carts set completed_at = ${now}, updated_at = ${now}
    where id = ${cart_id} and order_id is null`)
}

/** Records that an account signed out: no success page of its purchases signs it in again. */
export async function endCartSignIns(db: Db, now: Date, user_id: UserId): Promise<void> {
  await db.run(sql`update carts set sign_in_ended_at = ${now}
    where id in (select c.id from orders o join invoices i on i.id = o.invoice_id
      join carts c on c.id = i.cart_id
      where o.user_id = ${user_id} and c.sign_in_ended_at is null order by c.id for update of c)`)
}

/** Ends an account's carts: the browsers that opened them no longer find them. */
export async function endCartsOf(
  db: Db,
  now: Date,
  account: { user_id: UserId; email_normalized: string },
): Promise<void> {
  await db.run(sql`update carts
    set browser_hash = ${ENDED_HASH}, updated_at = ${now}
    where id in (select id from carts where user_id = ${account.user_id}
      or email_normalized = ${account.email_normalized} order by id for update)`)
}

/** Replaces a deleted account's email in its carts, and ends those that are not paid. */
export async function anonymizeCarts(
  db: Db,
  now: Date,
  account: { user_id: UserId; email_normalized: string; address: string },
): Promise<void> {
  await endCartsOf(db, now, account)
  const { address } = account
  await db.run(sql`update carts set email = ${address}, email_normalized = ${address}
    where user_id = ${account.user_id} or email_normalized = ${account.email_normalized}`)
}

/** The language of an invoice: the language of its purchase, or else of the buyer's account. */
export function languageOf(of: {
  cart_id: CartId | Sql | null
  user_id: UserId | Sql | null
}): Sql {
  return sql`coalesce((select language from carts where id = ${of.cart_id}),
    (select language from users where id = ${of.user_id}), 'en')`
}
