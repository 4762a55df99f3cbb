import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type {
  AffiliateId,
  AppId,
  CartId,
  InvoiceId,
  LicenseId,
  OrderId,
  PriceId,
  ProductId,
  QuoteId,
  SellerId,
  SubscriptionId,
  UserId,
} from '#platform/ids'
import { fromJson, type JsonRow } from '#platform/json-row'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import type { BroughtBy } from './fee.ts'
import type { InvoiceLine } from './invoice-lines.ts'

export type InvoiceKind = 'purchase' | 'renewal' | 'upgrade'

/** draft: a purchase that waits for its first charge. void: it will not be paid. */
export type InvoiceStatus = 'draft' | 'open' | 'paid' | 'void'

/** The fields of every invoice. Amounts are in cents, before tax unless noted. */
export interface InvoiceFacts {
  id: InvoiceId
  app_id: AppId
  /** The order of the invoice, which exists once the purchase is paid. */
  order_id: OrderId
  period_index: number | null
  period_start: Date
  period_end: Date | null
  product_id: ProductId
  price_id: PriceId
  tax_quote_id: QuoteId
  /** The agreed lines; the amount is their sum. */
  lines: readonly InvoiceLine[]
  amount: Cents
  tax: Cents
  /** The service's whole fee, the fixed part of it, and the part that the add-on adds. */
  fee: Cents
  fixed_fee: Cents
  add_on_fee: Cents
  commission: Cents
  brought_by: BroughtBy
  affiliate_id: AffiliateId | null
}

/** A purchase in progress: nothing is due, and no license exists, until it is paid. */
export interface DraftInvoice extends InvoiceFacts {
  kind: 'purchase'
  /** The app's seller when the invoice was created. */
  seller_id: SellerId
  cart_id: CartId
  /** The days of the promised trial; zero if the whole price is charged. */
  trial_days: number
  /** The billing period; null for a one-time price. */
  frequency: Frequency | null
}

/** A purchase that is about to be recorded. */
export type NewDraft = Omit<DraftInvoice, 'seller_id' | 'frequency'>

/** An invoice of a subscription that is not paid yet. */
export interface NewInvoice extends InvoiceFacts {
  kind: 'renewal' | 'upgrade'
  user_id: UserId
  license_id: LicenseId
  subscription_id: SubscriptionId
}

/** An invoice issued to the holder of a license. A purchase's is issued when it is paid. */
export interface Invoice extends InvoiceFacts {
  kind: InvoiceKind
  /** The seller when the invoice was created, even if the app was transferred since. */
  seller_id: SellerId
  /** The invoice number, counted across all apps of the service. */
  number: number
  user_id: UserId
  license_id: LicenseId
  /** Null for a purchase that is paid once. */
  subscription_id: SubscriptionId | null
  status: 'open' | 'paid' | 'void'
  /** Whether the total is too small to charge, so that the service bears it. */
  is_waived: boolean
  created_at: Date
  paid_at: Date | null
}

const LINES = sql`(select coalesce(jsonb_agg(jsonb_strip_nulls(jsonb_build_object('kind', l.kind,
  'amount', l.amount, 'code', l.code)) order by l.position), '[]')
  from invoice_lines l where l.invoice_id = invoices.id) as lines`

const FACTS = sql`invoices.id, invoices.kind, invoices.app_id, invoices.seller_id,
  invoices.order_id, invoices.period_index, invoices.period_start, invoices.period_end,
  invoices.product_id, invoices.price_id, invoices.tax_quote_id, ${LINES}, invoices.amount,
  invoices.tax, invoices.fee, invoices.fixed_fee, invoices.add_on_fee, invoices.commission,
  invoices.brought_by, invoices.affiliate_id`

const COLUMNS = sql`${FACTS}, invoices.number, invoices.user_id, invoices.license_id,
  invoices.subscription_id, invoices.status, invoices.is_waived, invoices.created_at,
  invoices.paid_at`

const DRAFT_COLUMNS = sql`${FACTS}, invoices.cart_id, invoices.trial_days,
  (select frequency from prices where prices.id = invoices.price_id) as frequency`

/**
 * Whether a row of `invoices` is a payment. A trial's card check is a paid invoice of zero without
 * a number: nothing was bought yet.
 */
export const IS_PAYMENT = (invoice: Sql) =>
  sql`${invoice}.status = 'paid' and ${invoice}.number is not null`

const PAID = IS_PAYMENT(sql`invoices`)

/** What an invoice belongs to until it is paid: the payer locks this first. */
export type InvoiceOwner =
  | { kind: 'purchase'; cart_id: CartId }
  | { kind: 'renewal' | 'upgrade'; subscription_id: SubscriptionId }

/** What an invoice belongs to until it is paid. */
export async function ownerOf(db: Db, id: InvoiceId): Promise<InvoiceOwner> {
  return await db.one<InvoiceOwner>(
    sql`select kind, cart_id, subscription_id from invoices where id = ${id}`,
  )
}

/** The row of `invoices` in a joined statement, as JSON: an issued one, which `invoiceOf` reads. */
export const INVOICE_AS_JSON = sql`(select to_jsonb(invoice) from (select ${COLUMNS}) invoice)`

/** The row of `invoices` in a joined statement, as JSON: of a purchase; `draftOf` reads it. */
export const DRAFT_AS_JSON = sql`(select to_jsonb(draft) from (select ${DRAFT_COLUMNS}) draft)`

/** The draft of `DRAFT_AS_JSON`. */
export function draftOf(json: JsonRow<DraftInvoice>): DraftInvoice {
  return fromJson<DraftInvoice>(json, { period_start: true, period_end: true })
}

/** An issued invoice by its id. */
export async function getInvoice(db: Db, id: InvoiceId): Promise<Invoice> {
  return await db.one<Invoice>(
    sql`select ${COLUMNS} from invoices where id = ${id} and number is not null`,
  )
}

/** An issued invoice, as JSON within another statement; `invoiceOf` reads it. */
export const invoiceAsJson = (id: Sql) => sql`(select to_jsonb(invoice)
  from (select ${COLUMNS} from invoices where id = ${id} and number is not null) invoice)`

/** The invoice of `invoiceAsJson` and of `INVOICE_AS_JSON`. */
export function invoiceOf(json: JsonRow<Invoice>): Invoice {
  const dates = { period_start: true, period_end: true, created_at: true, paid_at: true } as const
  return fromJson<Invoice>(json, dates)
}

/** An issued invoice by its id; of one app if `app_id` is given. */
export async function findInvoiceOf(
  db: Db,
  facts: { id: InvoiceId; app_id: AppId | null },
): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where id = ${facts.id} and number is not null
      and (${facts.app_id}::text is null or app_id = ${facts.app_id})`)
}

/** The terms in the invoice of an order's purchase that apply to later invoices. */
export async function purchaseInvoiceOf(
  db: Db,
  order_id: OrderId,
): Promise<Pick<Invoice, 'tax_quote_id' | 'brought_by' | 'affiliate_id'>> {
  return await db.one<Pick<Invoice, 'tax_quote_id' | 'brought_by' | 'affiliate_id'>>(
    sql`select tax_quote_id, brought_by, affiliate_id from invoices
      where order_id = ${order_id} and kind = 'purchase'`,
  )
}

const OPEN = sql`invoices.kind = 'renewal' and invoices.status = 'open'`

/** The open invoice of a subscription. */
export async function openInvoiceOf(
  db: Db,
  subscription_id: SubscriptionId,
): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where subscription_id = ${subscription_id} and ${OPEN}`)
}

/** The same, as JSON within another statement; `invoiceOf` reads it. */
export const openInvoiceAsJson = (subscription_id: Sql) => sql`(select to_jsonb(invoice)
  from (select ${COLUMNS} from invoices
    where invoices.subscription_id = ${subscription_id} and ${OPEN}) invoice)`

/** The open invoices of subscriptions, by subscription. */
export async function openInvoicesOf(
  db: Db,
  subscription_ids: SubscriptionId[],
): Promise<Map<SubscriptionId, Invoice>> {
  const found = await db.rows<Invoice>(sql`select ${COLUMNS} from invoices
    where subscription_id = any(${subscription_ids}) and ${OPEN}`)
  return new Map(found.map((each) => [each.subscription_id!, each]))
}

/** The invoice that paid for the current period. */
export async function lastPaidInvoice(db: Db, license_id: LicenseId): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where license_id = ${license_id} and ${PAID}
    order by paid_at desc, number desc limit 1`)
}

/** The last invoice of a license that was charged; waived and free ones are skipped. */
export async function lastChargedInvoice(
  db: Db,
  license_id: LicenseId,
): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where license_id = ${license_id} and ${PAID} and not is_waived and amount > 0
    order by paid_at desc, number desc limit 1`)
}

/** The invoice for the previous plan, whose unused part an upgrade credited. */
export async function paidBefore(
  db: Db,
  { license_id, id }: Pick<Invoice, 'license_id' | 'id'>,
): Promise<Invoice | undefined> {
  return await db.maybe<Invoice>(sql`select ${COLUMNS} from invoices
    where license_id = ${license_id} and ${PAID}
      and (paid_at, number) < (select paid_at, number from invoices where id = ${id})
    order by paid_at desc, number desc limit 1`)
}

/** Removes the affiliate, who does not earn on it, and the commission from an unpaid invoice. */
export async function removeAffiliate(db: Db, id: InvoiceId): Promise<void> {
  await db.run(sql`update invoices set commission = 0, affiliate_id = null
    where id = ${id} and status <> 'paid'`)
}

/** Removes the commission from an unpaid invoice whose amount is waived; its affiliate stays. */
export async function removeCommission(db: Db, id: InvoiceId): Promise<void> {
  await db.run(sql`update invoices set commission = 0 where id = ${id} and status <> 'paid'`)
}

/** Voids an invoice that will not be paid. */
export async function voidInvoice(db: Db, id: InvoiceId): Promise<void> {
  await db.run(sql`update invoices set status = 'void'
    where id = ${id} and status in ('draft', 'open')`)
}

/** The paid invoices of an account, latest first. */
export async function paidInvoicesOf(db: Db, user_id: UserId): Promise<Invoice[]> {
  return await db.rows<Invoice>(sql`select ${COLUMNS} from invoices
    where user_id = ${user_id} and ${PAID} order by paid_at desc, id`)
}

/** A paid invoice, for a list. */
export type PaidInvoice = Pick<Invoice, 'id' | 'number' | 'amount' | 'tax'> & { paid_at: Date }

/** The paid invoices of a license, earliest first. */
export async function paidInvoicesOfLicense(db: Db, license_id: LicenseId): Promise<PaidInvoice[]> {
  return await db.rows<PaidInvoice>(sql`select id, number, amount, tax, paid_at from invoices
    where license_id = ${license_id} and ${PAID} order by number`)
}

/** Replaces the email of a deleted account in its invoices. */
export async function anonymizeInvoices(
  db: Db,
  { user_id, address }: { user_id: UserId; address: string },
): Promise<void> {
  await db.run(sql`update invoices set buyer_email = ${address}
    where user_id = ${user_id} and buyer_email is not null`)
}
