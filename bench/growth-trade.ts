import { id } from './growth-ids.ts'
import type { Size } from './growth-people.ts'

/** What was sold: a row of `sale` for each, with everything that its purchase wrote. */
export function tradeOf({ sales, licenses }: Size): string[] {
  return [
    ...BUYERS,
    `insert into licenses (id, app_id, user_id, product_id, status, period_end, canceled_at,
        key_hash, key_sealed, origin, created_at)
      select ${id('lic')}, app_id, ${id('usr', 'buyer')}, 'prod_' || app_id,
        case when refunded then 'canceled' when recurs then 'active' else 'one_time_active' end,
        case when recurs then now() + (1 + n % 30) * interval '1 day' end,
        case when refunded then at end, sha256(('growth' || n)::bytea), '\\x00', 'purchase', at
      from sale`,
    // The other licenses were given by sellers, each to a buyer of another app.
    `insert into licenses (id, app_id, user_id, product_id, status, key_hash, key_sealed, origin,
        created_at)
      select ${id('lic', `n + ${sales}`)}, other_app_id, ${id('usr')}, 'prod_' || other_app_id,
        'active', sha256(('growth' || n + ${sales})::bytea), '\\x00', 'comp', at
      from sale where n <= ${licenses - sales}`,
    `insert into license_history (license_id, at, from_status, to_status, trigger)
      select ${id('lic')}, at, null, case when trial then 'trialing' else 'active' end, 'purchase'
      from sale`,
    `insert into license_history (license_id, at, from_status, to_status, trigger)
      select ${id('lic', `n + ${sales}`)}, at, null, 'active', 'comp'
      from sale where n <= ${licenses - sales}`,
    ...CHECKOUTS,
    ...PAYMENTS,
    ...SANDBOX,
  ]
}

const BUYERS = [
  `insert into users (id, email, email_normalized, email_verified_at, created_via, created_at)
    select ${id('usr')}, 'g' || n || '@growth.example', 'g' || n || '@growth.example', at,
      'checkout', at from sale`,
  `insert into cards (id, user_id, token, brand, last4, exp_month, exp_year, billing_country,
      billing_zip, issuer_country, fingerprint, created_at)
    select 'card_g' || n, ${id('usr', 'buyer')}, 'tok_g' || n, 'visa', '4242', 12, 2040, 'US',
      '78701', 'US', 'fp_g' || buyer, at from sale`,
]

const CHECKOUTS = [
  `insert into tax_quotes (id, country, state, zip, amount, tax, rule, rate_ppm, taxable_ppm,
      created_at)
    select 'quote_g' || n, 'US', state, '78701', 1200, 60, 'growth', 50000, 1000000, at from sale`,
  `insert into carts (id, app_id, price_id, browser_hash, brought_by, card, order_id, created_at,
      updated_at)
    select 'cart_g' || n, app_id, 'prc_' || app_id, sha256(n::text::bytea), 'seller',
      '{"brand": "visa", "last4": "4242"}', 'ord_g' || n, at, at from sale`,
  `insert into subscriptions (id, app_id, license_id, order_id, price_id, card_id, amount, state,
      zip, anchor, period_index, period_end, next_at, created_at)
    select 'sub_g' || n, app_id, ${id('lic')}, 'ord_g' || n, 'prc_' || app_id, 'card_g' || n, 1200,
      state, '78701', at, 1, now() + (1 + n % 30) * interval '1 day',
      now() + (1 + n % 30) * interval '1 day', at from sale where recurs and not refunded`,
  `insert into invoices (id, number, kind, cart_id, app_id, seller_id, app_name, product_name,
      seller_name, user_id, buyer_email, license_id, order_id, trial_days, period_index, period_start, product_id, price_id, tax_quote_id,
      amount, tax, fee, fixed_fee, commission, brought_by, affiliate_id, status, created_at,
      paid_at)
    select ${id('inv')}, nextval('invoice_numbers'), 'purchase', 'cart_g' || n, app_id, seller_id,
      'Growth', 'Pro', 'Growth LLC', ${id('usr', 'buyer')}, 'g' || buyer || '@growth.example', ${id('lic')}, 'ord_g' || n, 0, 1, at,
      'prod_' || app_id, 'prc_' || app_id, 'quote_g' || n, 1200, 60, 110, 50,
      case when affiliate_id is null then 0 else 27 end, 'seller', affiliate_id,
      case when n % 1000 = 3 then 'open' else 'paid' end, at,
      case when n % 1000 <> 3 then at end from (select * from sale order by n) sale`,
  `insert into invoice_lines (invoice_id, position, kind, amount)
    select ${id('inv')}, 1, 'price', 1200 from sale`,
  `insert into orders (id, invoice_id, app_id, user_id, license_id, made_account, created_at)
    select 'ord_g' || n, ${id('inv')}, app_id, ${id('usr', 'buyer')}, ${id('lic')}, true, at
    from sale`,
  `insert into emails (id, cause, kind, subject_id, queued_at, sent_at, recipients)
    select ${id('email')}, 'receipt:' || ${id('inv')}, 'receipt', ${id('inv')}, at, at,
      array['g' || n || '@growth.example'] from sale`,
]

const PAYMENTS = [
  `insert into attempts (id, invoice_id, requested_by, app_id, email_normalized, amount, card,
      status, created_at, settled_at)
    select 'att_g' || n, ${id('inv')}, 'buyer', app_id, 'g' || buyer || '@growth.example', 1260,
      '{}', 'succeeded', at, at from sale`,
  `insert into charges (id, attempt_id, processor, processor_charge_id, amount, created_at,
      invoice_id)
    select 'chg_g' || n, 'att_g' || n, 'sandbox', 'ch_g' || n, 1260, at, ${id('inv')}
    from sale where n % 1000 <> 3`,
  `insert into refunds (id, charge_id, amount, tax, fee, add_on_fee, commission, reason,
      requested_by, status, processor_refund_id, created_at, settled_at)
    select 'rfd_g' || n, 'chg_g' || n, 1260, 60, 60, 0, 0, 'growth', 'system', 'succeeded',
      're_g' || n, at, at
    from sale where refunded`,
  // Refunded again in the processor's dashboard: their buyers received too much, and most repaid.
  `insert into reissued_refunds (id, charge_id, processor_refund_id, amount, status, created_at)
    select 'rei_g' || n, 'chg_g' || n, 're_again_g' || n, 500, 'succeeded', at
    from sale where in_excess`,
  `insert into excess_repayments (id, user_id, amount, way, reference, paid_on, recorded_by,
      created_at)
    select ${id('exr')}, ${id('usr', 'buyer')}, 500, 'check', 'growth', at, 'growth', at
    from sale where is_repaid`,
  `insert into excess_parts (settlement_id, charge_id, amount, created_at)
    select ${id('exr')}, 'chg_g' || n, 500, at from sale where is_repaid`,
  `insert into disputes (id, charge_id, processor_dispute_id, amount, tax, commission, fee, reason,
      status, due_at, opened_at, closed_at, reported_at)
    select ${id('dsp')}, 'chg_g' || n, 'dp_g' || n, 1260, 60, 0, 60, 'fraudulent', 'lost', at, at,
      at, at
    from sale where disputed`,
]

/** The sandbox's records of it, so that the check of the books finds no difference. */
const SANDBOX = [
  `insert into sandbox.charges (id, key, request_hash, card_token, amount, currency, description,
      off_session, return_url, status, created_at)
    select 'ch_g' || n, 'att_g' || n, 'growth', 'tok_g' || n, 1260, 'usd', 'growth', false, '',
      'succeeded', at from sale where n % 1000 <> 3`,
  `insert into sandbox.refunds (id, key, request_hash, charge_id, amount, status, created_at)
    select 're_g' || n, 'rfd_g' || n, 'growth', 'ch_g' || n, 1260, 'succeeded', at
    from sale where refunded`,
  `insert into sandbox.refunds (id, key, request_hash, charge_id, amount, status, created_at)
    select 're_again_g' || n, 're_again_g' || n, 'growth', 'ch_g' || n, 500, 'succeeded', at
    from sale where in_excess`,
  `insert into sandbox.disputes (id, charge_id, amount, reason, is_inquiry, opened_at, closes_at,
      outcome)
    select 'dp_g' || n, 'ch_g' || n, 1260, 'fraudulent', false, at, at, 'lost'
    from sale where disputed`,
  `insert into sandbox.events (id, subject, charge_id, content, due_at, acknowledged)
    select 'evt_g' || n || kind, 'dp_g' || n, 'ch_g' || n,
      jsonb_build_object('kind', kind, 'is_inquiry', false, 'outcome', 'lost'), at, true
    from sale, unnest(array['dispute_opened', 'dispute_closed']) kind where disputed`,
]
