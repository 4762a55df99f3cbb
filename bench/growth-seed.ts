import type { Payee } from '#domain/payouts'
import type { Db } from '#platform/db'
import type { PayeeId } from '#platform/ids'
import { sql } from '#platform/sql'
import { growthId, id } from './growth-ids.ts'
import { AFFILIATES, APPS, APPS_OF_SELLER, peopleOf, type Size } from './growth-people.ts'

/** The number of licenses of one buyer, each of another app. */
const COLLECTOR = 200

/** The IDs that the measurements use. */
export const BIG_APP = growthId('app', 'big')
export const COLLECTOR_ID = growthId('usr', 1)

/**
 * Fills a database with two years of sales, in bulk. Rows are inserted as a replica does, without
 * triggers, so the connection must be a superuser's.
 */
export async function seedGrowth(db: Db, demo_app: string, size: Size): Promise<void> {
  const { sales, big_app } = size
  await db.raw(`set local session_replication_role = replica`)
  await cloneApps(db, demo_app)
  // One row per sale: app, buyer, time and outcome.
  await db.raw(`create temporary table sale on commit drop as
    select n,
      case when n <= ${big_app} then '${BIG_APP}' else ${id('app', `n % ${APPS}`)} end as app_id,
      case when n > ${big_app} and n <= ${big_app + COLLECTOR} then 1 else n end as buyer,
      now() - (${sales} - n) * (interval '730 days' / ${sales}) as at,
      n % 50 = 0 as refunded, n % 500 = 1 as disputed, n % 20 = 2 as trial,
      (array['TX', 'NY', 'WA', 'PA', 'OH', 'CA', 'OR', 'CT'])[1 + n % 8] as state,
      n % 10 < 7 as recurs,
      case when n % 20 = 4 then (select id from affiliates order by id limit 1)
        when n % 20 = 14 then ${id('aff', `n / 20 % ${AFFILIATES}`)} end as affiliate_id
    from generate_series(1, ${sales}) n`)
  for (const statement of peopleOf(size)) await db.raw(statement)
  for (const statement of TRADE) await db.raw(statement)
  for (const statement of BOOKS) await db.raw(statement)
}

/** The seller of all these apps, who never had a payout. */
export async function bigPayee(db: Db): Promise<Payee> {
  const app = sql`select seller_id as owner from apps where id = ${BIG_APP}`
  const { owner } = await db.one<{ owner: PayeeId }>(app)
  return { owner, account: 'seller_payable' }
}

async function cloneApps(db: Db, demo_app: string): Promise<void> {
  const names = `(select '${BIG_APP}' as id, 'big' as slug, 'Big Growth' as name, null as seller_id
    union all
    select ${id('app')}, 'g' || n, initcap(md5(n::text)) || ' ' || n,
      case when n >= ${APPS_OF_SELLER} then ${id('sel', 'n / 2')} end
    from generate_series(0, ${APPS - 1}) n) c`
  // A generated column cannot be written.
  const { columns } = await db.one<{ columns: string }>(sql`
    select string_agg(quote_ident(attname), ', ') as columns from pg_attribute
    where attrelid = 'apps'::regclass and attnum > 0 and not attisdropped and attgenerated = ''`)
  await db.raw(`insert into apps (${columns}) select ${columns} from (
      select (jsonb_populate_record(null::apps,
        to_jsonb(a) || jsonb_build_object('id', c.id, 'slug', c.slug, 'name', c.name,
          'seller_id', coalesce(c.seller_id, a.seller_id)))).*
      from apps a, ${names} where a.id = '${demo_app}') clone`)
  await db.raw(`insert into products select (jsonb_populate_record(null::products,
      to_jsonb(p) || jsonb_build_object('id', 'prod_' || c.id, 'app_id', c.id))).*
    from (select * from products where app_id = '${demo_app}' and not is_free limit 1) p, ${names}`)
  await db.raw(`insert into prices select (jsonb_populate_record(null::prices,
      to_jsonb(r) || jsonb_build_object('id', 'prc_' || c.id, 'product_id', 'prod_' || c.id))).*
    from (select r.* from prices r join products p on p.id = r.product_id
      where p.app_id = '${demo_app}' and r.frequency = 'month' limit 1) r, ${names}`)
}

const TRADE = [
  `insert into users (id, email, email_normalized, email_verified_at, created_via, created_at)
    select ${id('usr')}, 'g' || n || '@growth.example', 'g' || n || '@growth.example', at,
      'checkout',
      at from sale`,
  `insert into cards (id, user_id, token, brand, last4, exp_month, exp_year, billing_country,
      billing_zip, issuer_country, fingerprint, created_at)
    select 'card_g' || n, ${id('usr', 'buyer')}, 'tok_g' || n, 'visa', '4242', 12, 2040, 'US', '78701',
      'US', 'fp_g' || buyer, at from sale`,
  `insert into licenses (id, app_id, user_id, product_id, status, period_end, canceled_at, key_hash,
      key_sealed, origin, created_at)
    select ${id('lic')}, app_id, ${id('usr', 'buyer')}, 'prod_' || app_id,
      case when refunded then 'canceled' when recurs then 'active' else 'one_time_active' end,
      case when recurs then now() + (1 + n % 30) * interval '1 day' end,
      case when refunded then at end, sha256(('growth' || n)::bytea), '\\x00', 'purchase', at
    from sale`,
  `insert into license_history (license_id, at, from_status, to_status, trigger)
    select ${id('lic')}, at, null, case when trial then 'trialing' else 'active' end, 'purchase'
    from sale`,
  `insert into tax_quotes (id, country, state, zip, amount, tax, rule, rate_ppm, taxable_ppm,
      created_at)
    select 'quote_g' || n, 'US', state, '78701', 1200, 60, 'growth', 50000, 1000000, at from sale`,
  `insert into carts (id, app_id, price_id, browser_hash, brought_by, card, created_at, updated_at)
    select 'cart_g' || n, app_id, 'prc_' || app_id, sha256(n::text::bytea), 'seller',
      '{"brand": "visa", "last4": "4242"}', at, at from sale`,
  `insert into subscriptions (id, app_id, license_id, order_id, price_id, card_id, amount,
      state, zip,
      anchor, period_index, period_end, next_at, created_at)
    select 'sub_g' || n, app_id, ${id('lic')}, 'ord_g' || n, 'prc_' || app_id, 'card_g' || n, 1200,
      state, '78701', at, 1, now() + (1 + n % 30) * interval '1 day',
      now() + (1 + n % 30) * interval '1 day', at from sale where recurs and not refunded`,
  `insert into invoices (id, number, kind, cart_id, app_id, seller_id, user_id, license_id,
      order_id, trial_days, period_index, period_start, product_id, price_id, tax_quote_id,
      amount, tax, fee, fixed_fee, commission, brought_by, affiliate_id, status, created_at,
      paid_at)
    select ${id('inv')}, nextval('invoice_numbers'), 'purchase', 'cart_g' || n, app_id,
      (select seller_id from apps where id = app_id), ${id('usr', 'buyer')}, ${id('lic')},
      'ord_g' || n, 0, 1, at, 'prod_' || app_id, 'prc_' || app_id,
      'quote_g' || n, 1200, 60, 110, 50, case when affiliate_id is null then 0 else 60 end, 'seller',
      affiliate_id, case when n % 1000 = 3 then 'open' else 'paid' end, at,
      case when n % 1000 <> 3 then at end from (select * from sale order by n) sale`,
  `insert into invoice_lines (invoice_id, position, kind, amount)
    select ${id('inv')}, 1, 'price', 1200 from sale`,
  `insert into orders (id, invoice_id, app_id, user_id, license_id, made_account, created_at)
    select 'ord_g' || n, ${id('inv')}, app_id, ${id('usr', 'buyer')}, ${id('lic')}, true, at
    from sale`,
  `insert into attempts (id, invoice_id, requested_by, app_id, email_normalized, amount, card,
      status, created_at, settled_at)
    select 'att_g' || n, ${id('inv')}, 'buyer', app_id, 'g' || buyer || '@growth.example', 1260,
      '{}', 'succeeded', at, at from sale`,
  `insert into charges (id, attempt_id, processor, processor_charge_id, amount, created_at,
      invoice_id)
    select 'chg_g' || n, 'att_g' || n, 'sandbox', 'ch_g' || n, 1260, at, ${id('inv')}
    from sale where n % 1000 <> 3`,
  `insert into refunds (id, charge_id, amount, tax, fee, add_on_fee, commission, reason,
      requested_by,
      status, created_at, settled_at)
    select 'rfd_g' || n, 'chg_g' || n, 1260, 60, 60, 0, 0, 'growth', 'system', 'succeeded', at, at
    from sale where refunded`,
  // What a trigger would have inserted.
  `insert into refunded_sales (app_id, number, invoice_id, charge_id)
    select app_id, number, invoice_id, charge_id from refunds_of_sales on conflict do nothing`,
  `insert into disputes (id, charge_id, processor_dispute_id, amount, tax, commission, reason,
      status,
      due_at, opened_at, closed_at)
    select ${id('dsp')}, 'chg_g' || n, 'dp_g' || n, 1260, 60, 0, 'fraudulent', 'lost', at, at, at
    from sale where disputed`,
  `insert into customers (app_id, user_id, license_id, status, product_id, first_at, paid)
    select l.app_id, l.user_id, max(l.id), max(l.status), max(l.product_id), min(l.created_at),
      sum(case when l.status = 'canceled' then 0 else 1260 end)
    from licenses l where l.id like 'lic_0%' group by l.app_id, l.user_id`,
  `insert into emails (id, cause, kind, subject_id, queued_at, sent_at, recipients)
    select ${id('email')}, 'receipt:' || ${id('inv')}, 'receipt', ${id('inv')}, at, at,
      array['g' || n || '@growth.example'] from sale`,
]

const BOOKS = [
  `insert into ledger_transactions (id, at, event, subject)
    select 'txn_g' || n, at, 'sale', ${id('inv')} from sale where n % 1000 <> 3`,
  `insert into ledger_entries (transaction_id, position, account, owner, amount, currency)
    select 'txn_g' || n, e.position, e.account,
      case e.account when 'tax_payable' then 'US-' || state when 'seller_payable' then
        (select seller_id from apps where id = app_id)
        when 'affiliate_payable' then affiliate_id else '' end,
      case when e.account = 'fees' and affiliate_id is not null then -50 else e.amount end, 'usd'
    from sale, (values (1, 'processor', 1260), (2, 'seller_payable', -1090), (3, 'fees', -110),
      (4, 'tax_payable', -60), (5, 'affiliate_payable', -60)) e (position, account, amount)
    where n % 1000 <> 3 and (e.position < 5 or affiliate_id is not null)`,
  `insert into ledger_transactions (id, at, event, subject)
    select 'txr_g' || n, at, 'refund', 'rfd_g' || n from sale where refunded`,
  `insert into ledger_entries (transaction_id, position, account, owner, amount, currency)
    select 'txr_g' || n, e.position, e.account, case e.account when 'tax_payable' then 'US-' ||
      state
      else '' end, e.amount, 'usd'
    from sale, (values (1, 'processor', -1260), (2, 'fees', 1200), (3, 'tax_payable', 60))
      e (position, account, amount) where refunded`,
  // What a trigger would have queued.
  `insert into tax_unsummed (transaction_id) select id from ledger_transactions
    where event in ('sale', 'refund') on conflict do nothing`,
  `insert into unpaid_lines select * from payee_lines on conflict do nothing`,
  // The planner knows nothing of rows that this transaction inserted.
  'analyze ledger_transactions, ledger_entries, refunds, disputes, charges, invoices, licenses',
  'analyze subscriptions, prices',
  `insert into metric_changes (app_id, metric, day, count, amount)
    select app_id, metric, day, sum(count), sum(amount) from (
      select app_id, metric, day, count, amount from revenue_changes
      union all select m.app_id, m.status, l.created_at::date, 1, 0
        from license_metrics m join licenses l on l.id = m.license_id where m.status is not null
      union all select m.app_id, 'mrr_new', l.created_at::date, 1, m.mrr
        from license_metrics m join licenses l on l.id = m.license_id where m.mrr > 0
      union all select app_id, step, created_at::date, 1, 0 from carts,
        unnest(array['cart_details', 'cart_card', 'cart_confirmation', 'cart_paid']) step) changes
    group by app_id, metric, day`,
  `insert into counted_licenses (license_id, status, mrr, was_paying)
    select license_id, status, mrr, mrr > 0 from license_metrics on conflict do nothing`,
  `insert into listed_subscriptions
      (license_id, app_id, status, product_id, frequency, discount_id, mrr, created_at)
    select license_id, app_id, status, product_id, frequency, discount_id, mrr, created_at
    from subscriptions_to_list on conflict do nothing`,
  `insert into referred_changes (affiliate_id, app_id, day, purchases, net, commission)
    select affiliate_id, app_id, day, sum(purchases), sum(net), sum(commission) from (
      select affiliate_id, app_id, day, 0 as purchases, net, commission from referred_revenue
      union all select affiliate_id, app_id, day, 1, 0, 0 from referred_purchases) change
    group by affiliate_id, app_id, day`,
  `insert into payee_unsummed select transaction_id, position, owner, account, amount
    from payee_lines on conflict do nothing`,
]
