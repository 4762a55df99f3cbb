import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type {
  AppId,
  CartId,
  ImageId,
  InvoiceId,
  LicenseId,
  OrderId,
  PriceId,
  SellerId,
  UserId,
} from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Writes } from '#platform/write-together'
import type { CodeDiscount } from './invoice-lines.ts'

/** A completed purchase. Its figures are on its invoice. */
export interface Order {
  id: OrderId
  invoice_id: InvoiceId
  app_id: AppId
  user_id: UserId
  license_id: LicenseId
  made_account: boolean
  created_at: Date
}

/** Records an order. */
export async function addOrder(
  db: Writes,
  now: Date,
  order: Omit<Order, 'created_at'>,
): Promise<void> {
  await db.run(sql`insert into orders
      (id, invoice_id, app_id, user_id, license_id, made_account, created_at)
    values (${order.id}, ${order.invoice_id}, ${order.app_id}, ${order.user_id},
      ${order.license_id}, ${order.made_account}, ${now})`)
}

/** An order by its id. */
export async function getOrder(db: Db, id: OrderId): Promise<Order> {
  return await db.one<Order>(sql`select id, invoice_id, app_id, user_id, license_id, made_account,
    created_at from orders where id = ${id}`)
}

/** An order for a receipt or a success page. Amounts are in cents. */
export interface OrderDetails extends Order {
  price_id: PriceId
  /** The discount code and the amount it took off the price. */
  discount: CodeDiscount | null
  /** The discounted price before tax; for a trial, the price after it ends. */
  amount: Cents
  tax: Cents
  /** What was charged at the purchase, tax included; zero for a trial and a waived amount. */
  charged: Cents
  /** The days of its trial; zero if it began without one. */
  trial_days: number
  /** The end of the prepaid time at another service, if the order continues an import. */
  prepaid_until: Date | null
  /** Whether the total was too small to charge, so that the service bears it. */
  is_waived: boolean
  fee: Cents
  email: string
  app_name: string
  product_name: string
  frequency: Frequency | null
  state: string
  /** The card that was charged or checked, whatever was entered in the cart afterwards. */
  card_brand: string
  card_last4: string
  period_end: Date | null
  app_slug: string
  seller_id: SellerId
  /** The language of the buyer's account. */
  language: string
  email_verified_at: Date | null
  locked_at: Date | null
  has_password: boolean
  license_status: string
  key_sealed: Buffer
}

const CHARGED = sql`case when i.is_waived then 0 else i.amount + i.tax end`

const DETAILS = sql`select o.id, o.invoice_id, o.app_id, o.user_id, o.license_id,
    o.made_account, o.created_at, i.price_id, q.amount, q.tax,
    (select jsonb_build_object('code', n.code, 'amount', -n.amount) from invoice_lines n
      where n.invoice_id = i.id and n.kind = 'discount') as discount,
    ${CHARGED} as charged, i.trial_days, i.is_waived, i.fee,
    case when c.continues_license_id is not null then i.period_end end as prepaid_until,
    u.email, i.app_name, i.product_name, r.frequency, q.state, l.period_end,
    coalesce(t.card, c.card)->>'brand' as card_brand,
    coalesce(t.card, c.card)->>'last4' as card_last4,
    a.slug as app_slug, a.seller_id, u.language, u.email_verified_at, u.locked_at,
    u.password_hash is not null as has_password, l.status as license_status, l.key_sealed
  from orders o
    join invoices i on i.id = o.invoice_id
    join users u on u.id = o.user_id
    join apps a on a.id = o.app_id
    join prices r on r.id = i.price_id
    join tax_quotes q on q.id = i.tax_quote_id
    join licenses l on l.id = o.license_id
    join carts c on c.id = i.cart_id
    left join attempts t on t.invoice_id = i.id and t.status = 'succeeded'`

/** An order with its invoice's figures, names and card. */
export async function orderDetails(db: Db, id: OrderId): Promise<OrderDetails | undefined> {
  return await db.maybe<OrderDetails>(sql`${DETAILS} where o.id = ${id}`)
}

/** The order that an invoice belongs to as its purchase; undefined for any other invoice. */
export async function orderOfInvoice(
  db: Db,
  invoice_id: InvoiceId,
): Promise<OrderDetails | undefined> {
  return await db.maybe<OrderDetails>(sql`${DETAILS} where o.invoice_id = ${invoice_id}`)
}

/** The order of a license; undefined for a comp, a preview, and an import that is not continued. */
export async function orderOfLicense(db: Db, license_id: LicenseId): Promise<OrderId | undefined> {
  const row = await db.maybe<{ id: OrderId }>(sql`select id from orders
    where license_id = ${license_id} order by created_at desc limit 1`)
  return row?.id
}

/** The order that a cart will become, while its payment is pending. */
export async function pendingOrderOf(db: Db, cart_id: CartId): Promise<OrderId | undefined> {
  const row = await db.maybe<{ order_id: OrderId }>(sql`select order_id from invoices
    where cart_id = ${cart_id} and status = 'draft'`)
  return row?.order_id
}

/** A license in a person's list: bought, or given by a seller. */
export interface Purchase {
  license_id: LicenseId
  app_id: AppId
  app_name: string
  /** The app's icon; null if it has none. */
  icon_id: ImageId | null
  product_name: string
  status: string
  /** Whether the seller gave it; then nothing is charged. */
  is_given: boolean
  /** Whether another service sold it; then nothing is charged here. */
  is_imported: boolean
  /** Whether it was imported, even if its buyer has since continued it with a card. */
  was_imported: boolean
  charged: Cents
  created_at: Date
  canceled_at: Date | null
}

/** The last license of the previous page; a page starts after it. */
export type PurchaseCursor = Pick<Purchase, 'created_at' | 'license_id'>

/** A page of an account's licenses, latest first; of one app if `app_id` is given. */
export async function purchasesOf(
  db: Db,
  buyer: { user_id: UserId; app_id: AppId | null },
  page: { after?: PurchaseCursor | undefined; limit: number },
): Promise<Purchase[]> {
  const { after, limit } = page
  const older =
    after === undefined
      ? sql``
      : sql`and (l.created_at, l.id) < (${after.created_at}, ${after.license_id})`
  return await db.rows<Purchase>(sql`
    select l.id as license_id, l.app_id, a.name as app_name, a.icon_id, p.name as product_name,
      l.status, l.origin = 'comp' as is_given, l.origin = 'import' as is_imported,
      (select h.trigger from license_history h where h.license_id = l.id
        order by h.id limit 1) = 'import' as was_imported,
      coalesce(${CHARGED}, 0)::bigint as charged, l.created_at, l.canceled_at
    from licenses l join apps a on a.id = l.app_id join products p on p.id = l.product_id
      left join orders o on o.license_id = l.id left join invoices i on i.id = o.invoice_id
    where l.user_id = ${buyer.user_id} and l.origin <> 'preview'
      and (${buyer.app_id}::text is null or l.app_id = ${buyer.app_id}) ${older}
    order by l.created_at desc, l.id desc limit ${limit}`)
}

/** Whether this person, mailbox or card has had a trial of the app. A trial is granted once. */
export async function hadTrial(
  db: Db,
  buyer: { app_id: AppId; email_normalized: string | null; fingerprint: string | null },
): Promise<boolean> {
  // Starts from the buyer: an app may have any number of trials, a person has few licenses.
  const { had } = await db.one<{ had: boolean }>(sql`select exists (
    select 1 from (
        select id from users where email_normalized = ${buyer.email_normalized}
        union select user_id from cards where fingerprint = ${buyer.fingerprint}) person
      join licenses l on l.user_id = person.id and l.app_id = ${buyer.app_id}
      join license_history h on h.license_id = l.id and h.to_status = 'trialing') as had`)
  return had
}
