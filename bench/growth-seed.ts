import type { Payee } from '#domain/payouts'
import type { Database, Db } from '#platform/db'
import type { PayeeId } from '#platform/ids'
import { sql } from '#platform/sql'
import { BALANCES, DERIVED, LEDGER, PAYEE_WEEKS } from './growth-books.ts'
import { growthId, id } from './growth-ids.ts'
import { AFFILIATES, APPS_OF_SELLER, peopleOf, type Size } from './growth-people.ts'
import { tradeOf } from './growth-trade.ts'

const PAST_SALES = 50_000
/** The number of licenses of one buyer, each for a different app. */
export const COLLECTOR = 200

/** The IDs that the measurements use. */
export const BIG_APP = growthId('app', 'big')
export const COLLECTOR_ID = growthId('usr', 1)

/** The size of a database with this many sales, each with a license. */
export function sizeOf(sales: number): Size {
  return { licenses: sales, sales, big_app: Math.round(sales * 0.3), apps: 999 }
}

/** A table that only the seed reads, with its content. */
export type WorkTable = [name: string, content: string]

/** Work tables in their order, then statements that do not read each other's tables. */
export interface Step {
  work: WorkTable[]
  inserts: string[]
}

/** The steps that fill a database with two years of sales. */
export function stepsOf(size: Size): Step[] {
  return [
    { work: [['sale', salesOf(size)]], inserts: [] },
    { work: [], inserts: tradeOf(size) },
    { work: [], inserts: LEDGER },
    { work: PAYEE_WEEKS, inserts: DERIVED },
    { work: [], inserts: BALANCES },
  ]
}

/**
 * Fills a database with two years of sales in one transaction. Rows are inserted as a replica does,
 * without triggers, so the connection must be a superuser's.
 */
export async function seedGrowth(db: Db, demo_app: string, size: Size): Promise<void> {
  await db.raw(`set local session_replication_role = replica`)
  await seedPeople(db, demo_app, size)
  for (const { work, inserts } of stepsOf(size)) {
    for (const [table, content] of work) {
      await db.raw(`create temporary table ${table} on commit drop as ${content}`)
      await db.raw(`analyze ${table}`)
    }
    for (const statement of inserts) {
      await db.raw(statement)
      // The planner does not know the rows that this transaction inserted.
      await db.raw(`analyze ${tableOf(statement)}`)
    }
  }
}

/**
 * Past sales with all that they wrote, at most `sold`, beside what a measurement needs: for empty
 * tables, PostgreSQL picks plans that no real shop gets. Returns their number.
 */
export async function seedPastSales(
  db: Database,
  demo_app: string,
  sold = PAST_SALES,
): Promise<number> {
  const size = sizeOf(Math.min(sold, PAST_SALES))
  await db.tx((tx) => seedGrowth(tx, demo_app, size), { patient: true })
  return size.sales
}

/** The table that a statement fills. */
export function tableOf(statement: string): string {
  return /^insert into ([\w.]+)/.exec(statement)![1]!
}

/** The apps, and everyone but the buyers. */
export async function seedPeople(db: Db, demo_app: string, size: Size): Promise<void> {
  await cloneApps(db, demo_app, size)
  for (const statement of peopleOf(size)) await db.raw(statement)
}

/** The seller of all these apps, who has had no payout for a long time. */
export async function bigPayee(db: Db): Promise<Payee> {
  const app = sql`select seller_id as owner from apps where id = ${BIG_APP}`
  const { owner } = await db.one<{ owner: PayeeId }>(app)
  return { owner, account: 'seller_payable' }
}

/**
 * One row for each sale: app, buyer, time and outcome. Some apps sell a lot and most sell little:
 * an eighth of them has half of the sales. The large app has the first ones.
 */
function salesOf({ sales, big_app, apps }: Size): string {
  const skewed = `trunc(${apps} * power(mod(n * 0.618033988749895, 1), 3))::integer`
  const app = `case when n <= ${big_app + COLLECTOR} then n % ${apps} else ${skewed} end`
  return `select s.*, a.seller_id from (
    select n,
      case when n <= ${big_app} then '${BIG_APP}' else ${id('app', 'app')} end as app_id,
      ${id('app', `(app + 1) % ${apps}`)} as other_app_id,
      case when n > ${big_app} and n <= ${big_app + COLLECTOR} then 1 else n end as buyer,
      now() - (${sales} - n) * (interval '730 days' / ${sales}) as at,
      n % 50 = 0 as refunded, n % 500 = 0 as in_excess,
      n % 500 = 0 and n % 5000 <> 0 as is_repaid, n % 500 = 1 as disputed, n % 20 = 2 as trial,
      (array['TX', 'NY', 'WA', 'PA', 'OH', 'CA', 'OR', 'CT'])[1 + n % 8] as state,
      n % 10 < 7 as recurs,
      case when n % 20 = 4 then (select id from affiliates order by id limit 1)
        when n % 20 = 14 then ${id('aff', `n / 20 % ${AFFILIATES}`)} end as affiliate_id
    from (select n, ${app} as app from generate_series(1, ${sales}) n) n) s
    join apps a on a.id = s.app_id`
}

/** The tables that have a copy of the cast's app for each app. */
export const CLONED = ['apps', 'products', 'prices']

async function cloneApps(db: Db, demo_app: string, { apps }: Size): Promise<void> {
  const names = `(select '${BIG_APP}' as id, 'big' as slug, 'Big Growth' as name, null as seller_id
    union all
    select ${id('app')}, 'g' || n, initcap(md5(n::text)) || ' ' || n,
      case when n >= ${APPS_OF_SELLER} then ${id('sel', 'n / 2')} end
    from generate_series(0, ${apps - 1}) n) c`
  // A generated column cannot be written.
  const { columns } = await db.one<{ columns: string }>(sql`
    select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
    where attrelid = 'apps'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
  await db.raw(`insert into apps (${columns}) select ${columns} from (
      select (jsonb_populate_record(null::apps,
        to_jsonb(a) || jsonb_build_object('id', c.id, 'slug', c.slug, 'name', c.name,
          'seller_id', coalesce(c.seller_id, a.seller_id), 'addon_enabled_at', null))).*
      from apps a, ${names} where a.id = '${demo_app}') clone`)
  await db.raw(`insert into products select (jsonb_populate_record(null::products,
      to_jsonb(p) || jsonb_build_object('id', 'prod_' || c.id, 'app_id', c.id))).*
    from (select * from products where app_id = '${demo_app}' and not is_free limit 1) p, ${names}`)
  await db.raw(`insert into prices select (jsonb_populate_record(null::prices,
      to_jsonb(r) || jsonb_build_object('id', 'prc_' || c.id, 'product_id', 'prod_' || c.id))).*
    from (select r.* from prices r join products p on p.id = r.product_id
      where p.app_id = '${demo_app}' and r.frequency = 'month' limit 1) r, ${names}`)
}
