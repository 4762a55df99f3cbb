import type { Db } from '#platform/db'
import type { AppId, LicenseId, OrderId, ProductId, UserId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'

/** The status of a customer: that of their latest license. */
export const CUSTOMER_STATUSES = [
  'active',
  'trialing',
  'one_time_active',
  'past_due',
  'unpaid',
  'paused',
  'canceled',
] as const
export type CustomerStatus = (typeof CUSTOMER_STATUSES)[number]

/** The orders of the list of customers: each puts the largest value first. */
export const CUSTOMER_SORTS = ['newest', 'paid'] as const
export type CustomerSort = (typeof CUSTOMER_SORTS)[number]

/** A buyer of an app. */
export interface Customer {
  user_id: UserId
  email: string
  /** Their latest license of the app, with its status and plan. */
  license_id: LicenseId
  status: CustomerStatus
  product_name: string
  /** The date of the first purchase. */
  first_at: Date
  /** What was charged, tax included, minus refunds and lost disputes. */
  paid: Cents
  /** The end of the current period; null for a license that does not renew. */
  period_end: Date | null
  auto_renew: boolean
}

/** Filters the customers of an app. */
export interface CustomerFilter {
  app_id: AppId
  status?: CustomerStatus | undefined
  product_id?: ProductId | undefined
  /** The days of the first purchase: from one, and before another. */
  from?: Date | undefined
  before?: Date | undefined
  /** What a search found; undefined without a search. */
  user_ids?: UserId[] | undefined
}

/** The last customer of the previous page; a page starts after it. */
export type CustomerCursor = Pick<Customer, 'user_id' | 'first_at' | 'paid'>

/** How a customer's license began; a continued import is a purchase. Previews are excluded. */
export const LICENSE_ORIGINS = ['purchase', 'comp', 'import'] as const
export type LicenseOrigin = (typeof LICENSE_ORIGINS)[number]

// The end of what renews, or of what was given or imported.
const PERIOD_END = sql`coalesce(s.period_end, case when l.origin in ('comp', 'import')
  and l.status <> 'canceled' then l.period_end end)`

/** A page of an app's customers. */
export async function listCustomers(
  db: Db,
  query: CustomerFilter & {
    sort: CustomerSort
    after?: CustomerCursor | undefined
    limit: number
  },
): Promise<Customer[]> {
  const { sort, after, limit } = query
  const column = sort === 'newest' ? sql`first_at` : sql`paid`
  const rest =
    after === undefined
      ? sql``
      : sql`and (c.${column}, c.user_id)
          < (${sort === 'newest' ? after.first_at : after.paid}, ${after.user_id})`
  return await db.rows<Customer>(sql`
    select c.user_id, u.email, c.license_id, c.status, p.name as product_name, c.first_at, c.paid,
      ${PERIOD_END} as period_end, coalesce(s.auto_renew, false) as auto_renew
    from (select c.* from customers c where ${matching(query)} ${rest}
        order by c.${column} desc, c.user_id desc limit ${limit}) c
      join users u on u.id = c.user_id join products p on p.id = c.product_id
      join licenses l on l.id = c.license_id
      left join subscriptions s on s.license_id = c.license_id and s.ended_at is null
    order by c.${column} desc, c.user_id desc`)
}

/** The number of customers, and what they paid. */
export interface CustomerTotals {
  count: number
  paid: Cents
}

/** The totals of an app's customers. */
export async function customerTotals(db: Db, filter: CustomerFilter): Promise<CustomerTotals> {
  return await db.one<CustomerTotals>(sql`select count(*) as count,
      coalesce(sum(c.paid), 0)::bigint as paid
    from customers c where ${matching(filter)}`)
}

function matching({ app_id, status, product_id, from, before, user_ids }: CustomerFilter): Sql {
  return sql`c.app_id = ${app_id}
    ${status === undefined ? sql`` : sql`and c.status = ${status}`}
    ${product_id === undefined ? sql`` : sql`and c.product_id = ${product_id}`}
    ${from === undefined ? sql`` : sql`and c.first_at >= ${from}`}
    ${before === undefined ? sql`` : sql`and c.first_at < ${before}`}
    ${user_ids === undefined ? sql`` : sql`and c.user_id = any(${user_ids})`}`
}

/** A parsed search. Each kind of term is looked up by its own index. */
export interface CustomerLookup {
  /** The id of a license, an order or an invoice. */
  id: string
  /** What a buyer's email begins with. */
  email_start: string | null
  /** An invoice number. */
  number: number | null
  /** The hashes of a license key. */
  key_hashes: Buffer[]
}

/** The most licenses that a search returns. A longer email prefix narrows it down. */
export const MAX_FOUND = 200

// No text with this prefix sorts after this character.
const LAST_CHARACTER = '\u{10FFFF}'

/** The licenses of an app whose buyer's email begins with a text, by the prefix index. */
function licensesOfEmails(app_id: AppId, { email_start }: CustomerLookup): Sql {
  const end = email_start === null ? null : `${email_start}${LAST_CHARACTER}`
  // `offset 0`: the licenses of each person are looked up until there are enough.
  return sql`select f.id from users w cross join lateral (select id from licenses
      where user_id = w.id and app_id = ${app_id} and origin <> 'preview' offset 0) f
    where w.email_normalized ~>=~ ${email_start} and w.email_normalized ~<=~ ${end}
    order by w.email_normalized using ~<~ limit ${MAX_FOUND}`
}

/** The licenses of an app that match a search, at most `MAX_FOUND`. */
function matchingLicenses(app_id: AppId, lookup: CustomerLookup): Sql {
  return sql`select id from (
      select id from licenses
        where id = ${lookup.id} and app_id = ${app_id} and origin <> 'preview'
      union select id from licenses where key_hash = any(${lookup.key_hashes}::bytea[])
        and app_id = ${app_id} and origin <> 'preview'
      union (${licensesOfEmails(app_id, lookup)})
      union select license_id from orders where id = ${lookup.id} and app_id = ${app_id}
      union select license_id from invoices where id = ${lookup.id} and app_id = ${app_id}
      union select license_id from invoices where number = ${lookup.number} and app_id = ${app_id}
    ) l where id is not null limit ${MAX_FOUND}`
}

/** The licenses of an app that match a search, at most `MAX_FOUND`. */
export async function findMatchingLicenses(
  db: Db,
  app_id: AppId,
  lookup: CustomerLookup,
): Promise<LicenseId[]> {
  const rows = await db.rows<{ id: LicenseId }>(matchingLicenses(app_id, lookup))
  return rows.map(({ id }) => id)
}

/** The buyers of an app that match a search. */
export async function findCustomers(
  db: Db,
  app_id: AppId,
  lookup: CustomerLookup,
): Promise<UserId[]> {
  const rows = await db.rows<{ user_id: UserId }>(sql`select distinct l.user_id
    from (${matchingLicenses(app_id, lookup)}) s
      cross join lateral (select user_id from licenses where id = s.id offset 0) l`)
  return rows.map(({ user_id }) => user_id)
}

/** The total of all invoices of the license `l`. */
export const CAME_TO = sql`select coalesce(sum(c.amount), 0)::bigint as charged,
    coalesce(-sum((select coalesce(sum(paid_of(r)), 0) from refunds r where r.charge_id = c.id)
      + (select coalesce(sum(paid_of(d)), 0) from disputes d where d.charge_id = c.id)),
      0)::bigint as returned
  from invoices i join charges c on c.invoice_id = i.id where i.license_id = l.id`

/** A license of a customer. */
export interface CustomerLicense extends Omit<Customer, 'first_at' | 'paid'> {
  app_id: AppId
  origin: LicenseOrigin
  /** Whether it was imported, even if its buyer has since continued it with a card. */
  was_imported: boolean
  created_at: Date
  canceled_at: Date | null
  rotated_at: Date | null
  /** Its order; null for a comp, and for an import that no buyer continued. */
  order_id: OrderId | null
  /** The card that renewals charge; null for a license that does not renew. */
  card: { brand: string; last4: string } | null
  /** The total of all invoices of the license. */
  charged: Cents
  returned: Cents
}

/** A license of an app with its buyer; a preview has none. */
export async function findCustomerLicense(
  db: Db,
  { app_id, license_id }: { app_id: AppId; license_id: LicenseId },
): Promise<CustomerLicense | undefined> {
  return await db.maybe<CustomerLicense>(sql`
    select l.app_id, l.user_id, u.email, l.id as license_id, l.status, p.name as product_name,
      ${PERIOD_END} as period_end, coalesce(s.auto_renew, false) as auto_renew, l.origin,
      (select h.trigger from license_history h where h.license_id = l.id
        order by h.id limit 1) = 'import' as was_imported,
      l.created_at, l.canceled_at, l.rotated_at, o.id as order_id,
      case when k.id is not null then jsonb_build_object('brand', k.brand, 'last4', k.last4) end
        as card,
      m.charged, m.returned
    from licenses l join users u on u.id = l.user_id join products p on p.id = l.product_id
      left join orders o on o.license_id = l.id
      left join subscriptions s on s.license_id = l.id and s.ended_at is null
      left join cards k on k.id = s.card_id
      cross join lateral (${CAME_TO}) m
    where l.id = ${license_id} and l.app_id = ${app_id} and l.origin <> 'preview'`)
}

/** The licenses of a buyer for an app, latest first. */
export async function licensesOfCustomer(
  db: Db,
  { app_id, user_id }: { app_id: AppId; user_id: UserId },
): Promise<
  { license_id: LicenseId; status: CustomerStatus; product_name: string; created_at: Date }[]
> {
  return await db.rows(sql`
    select l.id as license_id, l.status, p.name as product_name, l.created_at
    from licenses l join products p on p.id = l.product_id
    where l.user_id = ${user_id} and l.app_id = ${app_id} and l.origin <> 'preview'
    order by l.created_at desc, l.id`)
}
