import { sql } from '#platform/sql'
import type { ExportedRow, ExportTable } from './table.ts'

const app = 'The slug of the app.'

const APPS: ExportTable = {
  name: 'apps',
  about: 'The apps, with their addresses. Their listing texts are in listings.json.',
  columns: {
    app_id: 'The public client ID.',
    slug: 'The name in addresses.',
    name: 'The name.',
    tagline: 'The tagline of the listing.',
    url: 'The registered website.',
    oauth_login_url: 'The Login URL.',
    listing_mode: 'marketplace or external.',
    is_published: 'Whether it is published.',
    external_sales_enabled: 'Whether buy links work.',
    allows_pause: 'Whether buyers may pause.',
    archived_at: 'When it was archived.',
    created_at: 'When it was created.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select a.id as cursor, a.id as app_id, a.slug, a.name, a.tagline, a.url, a.oauth_login_url,
        a.listing_mode, a.is_published, a.external_sales_enabled, a.allows_pause, a.archived_at,
        a.created_at
      from apps a where a.seller_id = ${seller_id} and a.id > ${after}
      order by a.id limit ${limit}) x order by x.cursor`),
}

const PRODUCTS: ExportTable = {
  name: 'products',
  about: 'The plans of the apps, those that are no longer sold included.',
  columns: {
    product_id: 'The product, prod_…',
    app,
    name: 'The name of the plan.',
    description: 'Its description.',
    is_free: 'Whether it is free.',
    trial_days: 'The days of its trial.',
    position: 'Its place among the plans.',
    created_at: 'When it was created.',
    deleted_at: 'When it was taken off sale.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select p.id as cursor, p.id as product_id, a.slug as app, p.name, p.description, p.is_free,
        p.trial_days, p.position, p.created_at, p.deleted_at
      from products p join apps a on a.id = p.app_id
      where a.seller_id = ${seller_id} and p.id > ${after}
      order by p.id limit ${limit}) x order by x.cursor`),
}

const PRICES: ExportTable = {
  name: 'prices',
  about: 'The prices of the plans, those that are no longer sold included.',
  columns: {
    price_id: 'The price, prc_…, which its buy link contains.',
    product_id: 'Its product.',
    amount: { cents: 'The amount before tax.' },
    currency: 'The currency.',
    frequency: 'day, week, month or year; empty for a price that is paid once.',
    created_at: 'When it was created.',
    deleted_at: 'When it was taken off sale, alone or with its product.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select r.id as cursor, r.id as price_id, r.product_id, r.amount, r.currency, r.frequency,
        r.created_at, coalesce(r.deleted_at, p.deleted_at) as deleted_at
      from prices r join products p on p.id = r.product_id join apps a on a.id = p.app_id
      where a.seller_id = ${seller_id} and r.id > ${after}
      order by r.id limit ${limit}) x order by x.cursor`),
}

const CUSTOMERS: ExportTable = {
  name: 'customers',
  about: 'The buyers of each app.',
  columns: {
    customer_id: 'The account of the buyer.',
    app,
    email: 'The email address.',
    license_id: 'Their latest license.',
    status: 'Its status.',
    paid: { cents: 'What they paid, tax included, after refunds and lost disputes.' },
    first_at: 'When they first bought.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' - 'app_id' as row from (
      select c.app_id || ' ' || c.user_id as cursor, c.app_id, c.user_id as customer_id,
        a.slug as app, u.email, c.license_id, c.status, c.paid, c.first_at
      from customers c join apps a on a.id = c.app_id join users u on u.id = c.user_id
      where a.seller_id = ${seller_id}
        and (c.app_id, c.user_id) > (split_part(${after}, ' ', 1), split_part(${after}, ' ', 2))
      order by c.app_id, c.user_id limit ${limit}) x order by x.app_id, x.customer_id`),
}

const DISCOUNTS: ExportTable = {
  name: 'discounts',
  about: 'The discount codes.',
  columns: {
    discount_id: 'The discount, disc_…',
    app,
    code: 'The code that buyers enter.',
    percent: 'The percentage, if it is one.',
    amount: { cents: 'The amount, if it is one.' },
    periods: 'For how many periods; empty for all.',
    valid_from: 'The first instant.',
    valid_until: 'When it stops being valid.',
    max_uses: 'How often it may be used.',
    is_once_per_buyer: 'Whether each buyer may use it once.',
    is_first_purchase: 'Whether it is for first purchases of the app only.',
    product_ids: 'The plans that it applies to, as JSON; [] for all.',
    is_active: 'Whether it can be used.',
    created_at: 'When it was created.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select d.id as cursor, d.id as discount_id, a.slug as app, d.code, d.percent, d.amount,
        d.periods, d.valid_from, d.valid_until, d.max_uses, d.is_once_per_buyer,
        d.is_first_purchase, d.product_ids, d.is_active, d.created_at
      from discount_codes d join apps a on a.id = d.app_id
      where a.seller_id = ${seller_id} and d.id > ${after}
      order by d.id limit ${limit}) x order by x.cursor`),
}

const MEMBERS: ExportTable = {
  name: 'members',
  about: 'The team.',
  columns: {
    member_id: 'The account.',
    email: 'The email address.',
    role: 'The role.',
    created_at: 'When they joined.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select m.user_id as cursor, m.user_id as member_id, u.email, m.role, m.created_at
      from seller_members m join users u on u.id = m.user_id
      where m.seller_id = ${seller_id} and m.user_id > ${after}
      order by m.user_id limit ${limit}) x order by x.cursor`),
}

const AUDIT: ExportTable = {
  name: 'audit',
  about: 'What the members, programs and agents of the seller did, and staff.',
  columns: {
    entry: 'The number of the entry.',
    at: 'When.',
    actor: 'The account or program; Purser staff for all of staff.',
    action: 'What was done.',
    subject: 'To what.',
    channel: 'page, agent or api; admin for staff.',
    detail: 'The details, as JSON, without the reasons of staff.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select l.id::text as cursor, l.id as entry, l.at,
        case when l.channel = 'admin' then 'Purser staff' else l.actor end as actor, l.action,
        l.subject, l.channel,
        case when l.channel = 'admin' then l.detail - 'reason' else l.detail end as detail
      from audit_log l where l.seller_id = ${seller_id}
        and l.id > coalesce(nullif(${after}, '')::bigint, 0)
      order by l.id limit ${limit}) x order by x.entry`),
}

/** What a seller set up, and who belongs to it. */
export const APP_TABLES = [APPS, PRODUCTS, PRICES, CUSTOMERS, DISCOUNTS, MEMBERS, AUDIT]
