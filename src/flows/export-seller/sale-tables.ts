import { DEDUCTED_BY_DISPUTE } from '#domain/billing'
import { sql } from '#platform/sql'
import type { ExportedRow, ExportTable } from './table.ts'

const app = 'The slug of the app.'

const LICENSES: ExportTable = {
  name: 'licenses',
  about: 'The licenses. Another Purser imports this file.',
  columns: {
    license_id: 'The license, lic_…',
    app,
    email: 'The email address of the buyer.',
    plan: 'The name of the plan.',
    product_id: 'The plan, prod_…',
    status: 'The status.',
    origin:
      'purchase, comp or import. An imported license that its buyer continued with a card is a purchase.',
    period_end: 'The end of the period; empty where it has none.',
    canceled_at: 'When it ended or will end.',
    created_at: 'When it was created.',
    license_key: 'The key, if the export was requested with keys.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select l.id as cursor, l.id as license_id, a.slug as app, u.email, p.name as plan,
        l.product_id, l.status, l.origin, l.period_end, l.canceled_at, l.created_at,
        encode(l.key_sealed, 'base64') as license_key
      from licenses l join apps a on a.id = l.app_id join users u on u.id = l.user_id
        join products p on p.id = l.product_id
      where a.seller_id = ${seller_id} and l.origin <> 'preview' and l.id > ${after}
      order by l.id limit ${limit}) x order by x.cursor`),
}

const SUBSCRIPTIONS: ExportTable = {
  name: 'subscriptions',
  about: 'The subscriptions.',
  columns: {
    subscription_id: 'The subscription, sub_…',
    app,
    license_id: 'Its license.',
    price_id: 'Its price.',
    amount: { cents: 'What a period costs before tax.' },
    period_end: 'The end of the period that is paid.',
    auto_renew: 'Whether it renews.',
    past_due_since: 'Since when a renewal is unpaid.',
    ended_at: 'When it ended.',
    created_at: 'When it began.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select s.id as cursor, s.id as subscription_id, a.slug as app, s.license_id, s.price_id,
        s.amount, s.period_end, s.auto_renew and s.ended_at is null as auto_renew,
        s.past_due_since, s.ended_at, s.created_at
      from subscriptions s join apps a on a.id = s.app_id
      where a.seller_id = ${seller_id} and s.id > ${after}
      order by s.id limit ${limit}) x order by x.cursor`),
}

const ORDERS: ExportTable = {
  name: 'orders',
  about: 'The purchases.',
  columns: {
    order_id: 'The order, ord_…',
    app,
    invoice_id: 'Its invoice.',
    license_id: 'Its license.',
    customer_id: 'The account of the buyer.',
    created_at: 'When it was placed.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select o.id as cursor, o.id as order_id, a.slug as app, o.invoice_id, o.license_id,
        o.user_id as customer_id, o.created_at
      from orders o join invoices i on i.id = o.invoice_id join apps a on a.id = o.app_id
      where i.seller_id = ${seller_id} and o.id > ${after}
      order by o.id limit ${limit}) x order by x.cursor`),
}

const INVOICES: ExportTable = {
  name: 'invoices',
  about: 'The invoices that were issued, with tax and fees.',
  columns: {
    invoice_id: 'The invoice, inv_…',
    number: 'Its number.',
    app,
    kind: 'purchase, renewal or upgrade.',
    status: 'The status.',
    customer_id: 'The account of the buyer.',
    license_id: 'The license.',
    product_id: 'The plan.',
    price_id: 'The price.',
    period_start: 'The start of the period.',
    period_end: 'The end of the period.',
    amount: { cents: 'The amount before tax.' },
    tax: { cents: 'The tax.' },
    tax_state: 'The state whose tax it is.',
    fee: { cents: 'The fee of the service; zero until the invoice is paid.' },
    add_on_fee: { cents: 'The part of the fee for hosted sign-in.' },
    affiliate_id: 'The affiliate who referred the buyer.',
    created_at: 'When it was written.',
    paid_at: 'When it was paid.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select i.id as cursor, i.id as invoice_id, i.number, a.slug as app, i.kind, i.status,
        i.user_id as customer_id, i.license_id, i.product_id, i.price_id, i.period_start,
        i.period_end, i.amount, i.tax, q.state as tax_state,
        case when i.status = 'paid' then i.fee else 0 end as fee,
        case when i.status = 'paid' then i.add_on_fee else 0 end as add_on_fee, i.affiliate_id,
        i.created_at, i.paid_at
      from invoices i join apps a on a.id = i.app_id join tax_quotes q on q.id = i.tax_quote_id
      where i.seller_id = ${seller_id} and i.number is not null and i.id > ${after}
      order by i.id limit ${limit}) x order by x.cursor`),
}

const INVOICE_LINES: ExportTable = {
  name: 'invoice_lines',
  about: 'The lines of the invoices, which sum to their amounts.',
  columns: {
    invoice_id: 'The invoice.',
    position: 'The place of the line.',
    kind: 'What the line is.',
    amount: { cents: 'Its amount.' },
    code: 'The discount code of a discount.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select w.invoice_id || ' ' || w.position as cursor, w.invoice_id, w.position, w.kind,
        w.amount, w.code
      from invoice_lines w join invoices i on i.id = w.invoice_id
      where i.seller_id = ${seller_id} and i.number is not null
        and (w.invoice_id, w.position) > (split_part(${after}, ' ', 1),
          coalesce(nullif(split_part(${after}, ' ', 2), '')::integer, -1))
      order by w.invoice_id, w.position limit ${limit}) x order by x.invoice_id, x.position`),
}

const REFUNDS: ExportTable = {
  name: 'refunds',
  about: 'The refunds.',
  columns: {
    refund_id: 'The refund, ref_…',
    invoice_id: 'The invoice.',
    amount: { cents: 'What was refunded, tax included.' },
    tax: { cents: 'The tax in it.' },
    fee: { cents: 'The fee that was returned.' },
    status: 'The status.',
    reason: 'The reason.',
    created_at: 'When it was requested.',
    settled_at: 'When it was settled.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select r.id as cursor, r.id as refund_id, c.invoice_id, r.amount, r.tax, r.fee, r.status,
        r.reason, r.created_at, r.settled_at
      from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id
      where i.seller_id = ${seller_id} and r.id > ${after}
      order by r.id limit ${limit}) x order by x.cursor`),
}

const DISPUTES: ExportTable = {
  name: 'disputes',
  about: 'The disputes.',
  columns: {
    dispute_id: 'The dispute, dsp_…',
    invoice_id: 'The invoice.',
    amount: { cents: 'What is disputed, tax included.' },
    tax: { cents: 'The tax in it.' },
    deducted: {
      cents:
        'What it deducts: its cost until it is won, and once it is lost the amount before tax.',
    },
    reason: 'The reason of the bank.',
    status: 'inquiry, inquiry_closed (nothing was withdrawn), open, won or lost.',
    due_at: 'Until when evidence could be sent.',
    opened_at: 'When it was opened.',
    closed_at: 'When the bank decided, or closed the inquiry.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select d.id as cursor, d.id as dispute_id, c.invoice_id, d.amount, d.tax,
        ${DEDUCTED_BY_DISPUTE} as deducted, d.reason, d.status, d.due_at, d.opened_at, d.closed_at
      from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
      where i.seller_id = ${seller_id} and d.id > ${after}
      order by d.id limit ${limit}) x order by x.cursor`),
}

/** What a seller sold. */
export const SALE_TABLES = [
  LICENSES,
  SUBSCRIPTIONS,
  ORDERS,
  INVOICES,
  INVOICE_LINES,
  REFUNDS,
  DISPUTES,
]
