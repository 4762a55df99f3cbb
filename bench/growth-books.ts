import { id } from './growth-ids.ts'

const BIG_SELLER = `(select seller_id from apps where slug = 'big')`

/** The lines of a posting in SQL: account, owner and amount, in this order. */
function entries(prefix: string, where: string, lines: [string, string, string | number][]) {
  const values = lines
    .map(([account, owner, amount], index) => `(${index + 1}, '${account}', ${owner}, ${amount})`)
    .join(', ')
  return `insert into ledger_entries (transaction_id, position, account, owner, amount, currency)
    select '${prefix}' || n, e.position, e.account, e.owner, e.amount, 'usd'
    from sale cross join lateral (values ${values}) e (position, account, owner, amount)
    where ${where} and e.amount <> 0`
}

function transactions(prefix: string, where: string, event: string, subject: string): string {
  return `insert into ledger_transactions (id, at, event, subject)
    select '${prefix}' || n, at, '${event}', ${subject} from sale where ${where}`
}

const TAX_OWNER = `'US-' || state`

/** The ledger, what is derived from licenses, and the lines of payees. */
export const LEDGER = [
  transactions('txn_g', 'n % 1000 <> 3', 'sale', id('inv')),
  transactions('txr_g', 'refunded', 'refund', `'rfd_g' || n`),
  transactions('txe_g', 'in_excess', 'refund_reissued', `'rei_g' || n`),
  transactions('txq_g', 'is_repaid', 'excess_repaid', id('exr')),
  transactions('txo_g', 'disputed', 'dispute_opened', id('dsp')),
  transactions('txl_g', 'disputed', 'dispute_lost', id('dsp')),
  entries('txn_g', 'n % 1000 <> 3', [
    ['processor', `''`, 1260],
    ['tax_payable', TAX_OWNER, -60],
    ['affiliate_payable', 'affiliate_id', 'case when affiliate_id is null then 0 else -27 end'],
    ['fees', `''`, 'case when affiliate_id is null then -110 else -83 end'],
    ['seller_payable', 'seller_id', -1090],
  ]),
  entries('txr_g', 'refunded', [
    ['processor', `''`, -1260],
    ['tax_payable', TAX_OWNER, 60],
    ['fees', `''`, 60],
    ['seller_payable', 'seller_id', 1140],
  ]),
  entries('txe_g', 'in_excess', [
    ['processor', `''`, -500],
    ['buyer_payable', id('usr', 'buyer'), 500],
  ]),
  entries('txq_g', 'is_repaid', [
    ['bank', `''`, 500],
    ['buyer_payable', id('usr', 'buyer'), -500],
  ]),
  entries('txo_g', 'disputed', [
    ['processor', `''`, -1260],
    ['disputes_open', `''`, 1260],
    ['seller_payable', 'seller_id', 2700],
    ['dispute_hold', 'seller_id', -1200],
    ['dispute_costs', `''`, -1500],
  ]),
  entries('txl_g', 'disputed', [
    ['disputes_open', `''`, -1260],
    ['dispute_hold', 'seller_id', 1200],
    ['tax_payable', TAX_OWNER, 60],
  ]),
  // What triggers would have inserted.
  `insert into refunded_invoices (app_id, number, invoice_id, charge_id)
    select app_id, number, invoice_id, charge_id from refunds_of_invoices`,
  `insert into customers (app_id, user_id, license_id, status, product_id, first_at, paid)
    select app_id, user_id, id, status, product_id, created_at,
      case when status = 'canceled' or origin = 'comp' then 0 else 1260 end
    from licenses where id like 'lic_00000%'`,
  `insert into counted_licenses (license_id, status, mrr, was_paying)
    select license_id, status, mrr, mrr > 0 from license_metrics
    where license_id like 'lic_00000%'`,
  `insert into listed_subscriptions
      (license_id, app_id, status, product_id, frequency, discount_id, mrr, created_at)
    select license_id, app_id, status, product_id, frequency, discount_id, mrr, created_at
    from subscriptions_to_list where license_id like 'lic_00000%'`,
]

/**
 * The lines of payees with the week of their payout, and the weeks that are paid: all of them, but
 * for the seller of the large app only old ones, so that one payee has many unpaid lines.
 */
export const PAYEE_WEEKS: [table: string, content: string][] = [
  [
    'payee_line',
    `select l.*, date_trunc('week', at) + interval '1 day' *
      case account when 'seller_payable' then 21 else 70 end as week
    from payee_lines l where transaction_id like 'tx__g%'`,
  ],
  [
    'paid_week',
    `select row_number() over (order by week, owner) as n, *
    from (select owner, account, week, -sum(amount)::bigint as amount from payee_line
      where week < now() - case when owner = ${BIG_SELLER} then interval '600 days'
        else interval '0' end
      group by owner, account, week having -sum(amount) > 1000) s`,
  ],
]

const PAID = `payee_line l join paid_week w using (owner, account, week)`

/** Payouts, and the sums that jobs compute. */
export const DERIVED = [
  `insert into payouts (id, owner, account, amount, cause, status, processor_payout_id, created_at,
      settled_at)
    select ${id('po')}, owner, account, amount, 'weekly', 'paid', 'po_g' || n, week, week
    from paid_week`,
  `insert into sandbox.accounts (id, owner, email, created_at)
    select 'acct_growth', 'growth', 'growth@growth.example', now()`,
  `insert into sandbox.payouts (id, key, request_hash, account_id, amount, description, status,
      created_at)
    select 'po_g' || n, ${id('po')}, 'growth', 'acct_growth', amount, 'growth', 'pending', week
    from paid_week`,
  `insert into ledger_transactions (id, at, event, subject)
    select 'txp_g' || n, week, 'payout', ${id('po')} from paid_week`,
  `insert into ledger_entries (transaction_id, position, account, owner, amount, currency)
    select 'txp_g' || n, e.position, e.account, e.owner, e.amount, 'usd' from paid_week w
      cross join lateral (values (1, w.account, w.owner, w.amount),
        (2, 'processor', '', -w.amount)) e (position, account, owner, amount)`,
  `insert into payout_lines (transaction_id, position, payout_id, line)
    select l.transaction_id, l.position, ${id('po', 'w.n')},
      row_number() over (partition by w.n order by l.at, l.transaction_id, l.position)
    from ${PAID}`,
  `insert into unpaid_lines (transaction_id, position, owner, account, at, event, amount, sale)
    select l.transaction_id, l.position, owner, account, l.at, l.event, l.amount, l.sale
    from payee_line l left join paid_week w using (owner, account, week) where w.n is null`,
  `insert into tax_unsummed (transaction_id) select id from ledger_transactions
    where event in ('sale', 'refund', 'dispute_lost') and id like 'tx__g%'`,
  `insert into metric_days (app_id, metric, day, count, amount)
    select app_id, metric, day, sum(count), sum(amount) from (
      select app_id, metric, day, count, amount from revenue_changes
      union all select m.app_id, m.status, (l.created_at at time zone 'UTC')::date, 1, 0
        from license_metrics m join licenses l on l.id = m.license_id where m.status is not null
      union all select m.app_id, 'mrr_new', (l.created_at at time zone 'UTC')::date, 1, m.mrr
        from license_metrics m join licenses l on l.id = m.license_id where m.mrr > 0
      union all select app_id, step, (created_at at time zone 'UTC')::date, 1, 0 from carts,
        unnest(array['cart_details', 'cart_card', 'cart_confirmation', 'cart_paid']) step) changes
    where app_id in (select distinct app_id from sale union select distinct other_app_id from sale)
    group by app_id, metric, day`,
  `insert into referred_days (affiliate_id, app_id, day, purchases, net, commission)
    select affiliate_id, app_id, day, sum(purchases), sum(net), sum(commission) from (
      select affiliate_id, app_id, day, 0 as purchases, net, commission from referred_revenue
      union all select affiliate_id, app_id, day, 1, 0, 0 from referred_purchases) change
    where app_id in (select distinct app_id from sale)
    group by affiliate_id, app_id, day`,
]

/** The balances, once everything was posted. */
export const BALANCES = [
  `insert into payee_balances as kept (owner, account, amount)
    select owner, account, sum(amount)::bigint from ledger_entries
    where account in ('seller_payable', 'affiliate_payable') and transaction_id like 'tx__g%'
    group by owner, account
    on conflict (owner, account) do update set amount = kept.amount + excluded.amount`,
  `insert into buyer_balances (user_id, amount)
    select owner, sum(amount)::bigint from ledger_entries
    where account = 'buyer_payable' and transaction_id like 'tx__g%' group by owner`,
]
