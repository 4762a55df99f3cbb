import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, InvoiceId, UserId } from '#platform/ids'
import { fromJson, type JsonRow } from '#platform/json-row'
import { type Cents, cents, sum } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { type Invoice, IS_PAYMENT, invoiceAsJson, invoiceOf } from './invoices.ts'

/** A refund of an invoice, tax included: to its card, or in another way if the card returned it. */
export interface ReceiptRefund {
  amount: Cents
  /** The tax in it; null for what was made again, whose tax the first refund had. */
  tax: Cents | null
  /** Whether the card has not confirmed it yet. */
  is_pending: boolean
  at: Date
}

/** What a buyer repaid of what they had received in excess of a payment, or what was waived. */
export interface SettledExcess {
  how: 'repaid' | 'waived'
  amount: Cents
  at: Date
}

/** A payment that its buyer disputed: the bank is deciding, or has returned it. */
export interface DisputedPayment {
  status: 'open' | 'lost'
  amount: Cents
  /** When it was opened, or decided. */
  at: Date
}

/** Everything that the receipt of a paid invoice shows; names and email are those of the sale. */
export interface Receipt extends Invoice {
  paid_at: Date
  app_name: string
  /** The legal name of the seller. */
  seller_name: string
  product_name: string
  frequency: Frequency | null
  email: string
  state: string
  zip: string
  /** The rate that was charged and the share of the price it applies to, in millionths. */
  rate_ppm: number
  taxable_ppm: number
  /** The card that paid, otherwise the one on file; null if a discount left nothing to pay once. */
  card_brand: string | null
  card_last4: string | null
  refunds: ReceiptRefund[]
  disputed: DisputedPayment[]
  settled: SettledExcess[]
  /** The buyer's language when the invoice was created. */
  language: string
}

/**
 * What was refunded to the buyer of a charge, to the card or in another way. A refund that the
 * processor has not answered is not counted. Of one that the card returned, only what was refunded
 * again or paid in another way is.
 */
const REFUNDS = (charge_id: Sql) => sql`(select id, amount, tax, created_at,
    status = 'pending' as is_pending from refunds
    where charge_id = ${charge_id} and status in ('pending', 'succeeded')
  union all select id, amount, null, created_at, status = 'pending' from reissued_refunds
    where charge_id = ${charge_id} and status in ('pending', 'succeeded')
  union all select payment_id, amount, null, created_at, false from buyer_payment_parts
    where charge_id = ${charge_id})`

/** The disputes of a charge that are open, or were lost. */
const DISPUTED = (charge_id: Sql) => sql`(select id, status, amount,
    case status when 'open' then opened_at else closed_at end as at
  from disputes where charge_id = ${charge_id} and status in ('open', 'lost'))`

/** What was settled of what the buyer of a charge had received in excess of it. */
const SETTLED = (charge_id: Sql) => sql`(select r.id, 'repaid' as how, p.amount,
    r.paid_on::timestamp at time zone 'UTC' as at
  from excess_parts p join excess_repayments r on r.id = p.settlement_id
  where p.charge_id = ${charge_id}
  union all select 'waived', 'waived', sum(p.amount)::bigint,
    max(p.created_at) filter (where p.amount > 0)
  from excess_parts p where p.charge_id = ${charge_id}
    and not exists (select 1 from excess_repayments r where r.id = p.settlement_id)
  having sum(p.amount) > 0)`

/** The receipt of a paid invoice; undefined for one that was never paid. */
export async function findReceipt(db: Db, id: InvoiceId): Promise<Receipt | undefined> {
  type Listed = 'refunds' | 'disputed' | 'settled'
  type Facts = Omit<Receipt, Exclude<keyof Invoice, 'paid_at'> | Listed> & {
    refunds: JsonRow<ReceiptRefund>[]
    disputed: JsonRow<DisputedPayment>[]
    settled: JsonRow<SettledExcess>[]
    invoice: JsonRow<Invoice>
  }
  const found = await db.maybe<Facts>(sql`
    select i.paid_at, i.language, i.app_name, i.seller_name, i.product_name, pr.frequency,
      coalesce(i.buyer_email, u.email) as email, q.state, q.zip, q.rate_ppm, q.taxable_ppm,
      coalesce(t.card->>'brand', k.brand) as card_brand,
      coalesce(t.card->>'last4', k.last4) as card_last4,
      (select coalesce(jsonb_agg(jsonb_build_object('amount', r.amount, 'tax', r.tax,
          'is_pending', r.is_pending, 'at', r.created_at) order by r.created_at, r.id), '[]')
        from ${REFUNDS(sql`c.id`)} r) as refunds,
      (select coalesce(jsonb_agg(jsonb_build_object('status', d.status, 'amount', d.amount,
          'at', d.at) order by d.at, d.id), '[]')
        from ${DISPUTED(sql`c.id`)} d) as disputed,
      (select coalesce(jsonb_agg(jsonb_build_object('how', s.how, 'amount', s.amount, 'at', s.at)
          order by s.at, s.id), '[]')
        from ${SETTLED(sql`c.id`)} s) as settled,
      ${invoiceAsJson(sql`i.id`)} as invoice
    from invoices i
      join prices pr on pr.id = i.price_id
      join users u on u.id = i.user_id
      join tax_quotes q on q.id = i.tax_quote_id
      left join charges c on c.invoice_id = i.id
      left join attempts t on t.id = c.attempt_id
      left join subscriptions su on su.id = i.subscription_id
      left join cards k on k.id = su.card_id
    where i.id = ${id} and ${IS_PAYMENT(sql`i`)}`)
  if (!found) return undefined
  const { invoice, ...facts } = found
  const refunds = facts.refunds.map((each) => fromJson<ReceiptRefund>(each, { at: true }))
  const disputed = facts.disputed.map((each) => fromJson<DisputedPayment>(each, { at: true }))
  const settled = facts.settled.map((each) => fromJson<SettledExcess>(each, { at: true }))
  return { ...invoiceOf(invoice), ...facts, refunds, disputed, settled }
}

/** A payment with its refunds and disputes, in a list. */
export interface ReceiptLine {
  id: InvoiceId
  number: number
  kind: Invoice['kind']
  product_name: string
  /** Tax included; zero for a waived amount. */
  total: Cents
  /** What was refunded, with what is pending of it. */
  refunded: Cents
  refund_pending: Cents
  /** What an open dispute is about, and what the bank returned. */
  disputed: Cents
  returned: Cents
  /** What the buyer repaid of what they had received in excess. */
  repaid: Cents
  /** What they may keep of it. */
  waived: Cents
  paid_at: Date
}

/** What an account paid for an app, latest first. */
export async function receiptsOf(
  db: Db,
  buyer: { user_id: UserId; app_id: AppId },
  page: { limit: number; offset: number },
): Promise<ReceiptLine[]> {
  return await db.rows<ReceiptLine>(sql`
    select i.id, i.number, i.kind, i.product_name, i.paid_at,
      case when i.is_waived then 0 else i.amount + i.tax end as total,
      b.refunded, b.refund_pending, d.disputed, d.returned, e.repaid, e.waived
    from invoices i cross join lateral (
      select coalesce(sum(r.amount), 0)::bigint as refunded,
        coalesce(sum(r.amount) filter (where r.is_pending), 0)::bigint as refund_pending
      from charges c cross join lateral ${REFUNDS(sql`c.id`)} r where c.invoice_id = i.id) b
    cross join lateral (
      select coalesce(sum(s.amount) filter (where s.status = 'open'), 0)::bigint as disputed,
        coalesce(sum(s.amount) filter (where s.status = 'lost'), 0)::bigint as returned
      from charges c cross join lateral ${DISPUTED(sql`c.id`)} s where c.invoice_id = i.id) d
    cross join lateral (
      select coalesce(sum(s.amount) filter (where s.how = 'repaid'), 0)::bigint as repaid,
        coalesce(sum(s.amount) filter (where s.how = 'waived'), 0)::bigint as waived
      from charges c cross join lateral ${SETTLED(sql`c.id`)} s where c.invoice_id = i.id) e
    where i.user_id = ${buyer.user_id} and i.app_id = ${buyer.app_id}
      and ${IS_PAYMENT(sql`i`)}
    order by i.paid_at desc, i.number desc limit ${page.limit} offset ${page.offset}`)
}

/** What a page of receipts has to know of all of them. */
export interface ReceiptSummary {
  /** The number of invoices of the app that the buyer paid. */
  count: number
  /** Whether the books owe the buyer anything, for whichever app. */
  is_buyer_owed: boolean
}

/** Summarizes what an account paid for an app. */
export async function summarizeReceipts(
  db: Db,
  { user_id, app_id }: { user_id: UserId; app_id: AppId },
): Promise<ReceiptSummary> {
  return await db.one<ReceiptSummary>(sql`select count(*) as count,
      exists (select 1 from buyer_balances where user_id = ${user_id} and amount < 0)
        as is_buyer_owed
    from invoices i
    where i.user_id = ${user_id} and i.app_id = ${app_id} and ${IS_PAYMENT(sql`i`)}`)
}

/** What was refunded of a paid invoice so far, in cents. */
export function refundedTotal({ refunds }: Receipt): Cents {
  return sum(cents(0), ...refunds.map(({ amount }) => amount))
}

/** What refunds left of a payment, and what they exceed it by, in cents. */
export function afterRefunds(total: Cents, refunded: Cents): { left: Cents; excess: Cents } {
  return {
    left: cents(Math.max(0, total - refunded)),
    excess: cents(Math.max(0, refunded - total)),
  }
}
