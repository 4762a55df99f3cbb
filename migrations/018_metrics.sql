-- What an app had by day (UTC, in the app's own time): revenue, recurring revenue, licenses and
-- checkouts. Triggers queue each change in the transaction that causes it; a job adds them up.

create table metric_days (
  app_id text not null,
  metric text not null
    check (metric in ('sale', 'refund', 'dispute_opened', 'dispute_won', 'dispute_lost',
      'appeal_opened', 'appeal_won', 'mrr_new', 'mrr_reactivation', 'mrr_expansion',
      'mrr_contraction', 'mrr_churn', 'active', 'trialing', 'one_time_active', 'past_due',
      'unpaid', 'paused', 'cart_details', 'cart_card', 'cart_confirmation', 'cart_paid')),
  day date not null,
  -- How many there were; of licenses with a status: how many more than the day before.
  count bigint not null,
  -- Cents: of ledger events what the seller earned, of `mrr_…` the change of recurring revenue.
  amount bigint not null,
  -- With the figures: sums over a year of many apps are read from the index alone.
  primary key (app_id, metric, day) include (count, amount)
);
create table metric_changes (
  id bigint generated always as identity primary key,
  app_id text not null,
  metric text not null,
  day date not null,
  count bigint not null,
  amount bigint not null
);

-- What sales, refunds and disputes changed: of a seller's earnings, what they are owed and what is
-- reserved for disputes that may be won; and the commission of the affiliate who brought the buyer.
create view earned_changes as
  select t.transaction_id, i.app_id, i.affiliate_id, t.event as metric,
    (t.at at time zone 'UTC')::date as day, e.net, e.commission
  from posted_invoices t join invoices i on i.id = t.invoice_id
    cross join lateral (select
      coalesce(-sum(amount) filter (where account <> 'affiliate_payable'), 0)::bigint as net,
      coalesce(-sum(amount) filter (where account = 'affiliate_payable'), 0)::bigint as commission
      from ledger_entries where transaction_id = t.transaction_id
        and account in ('seller_payable', 'dispute_hold', 'affiliate_payable')) e
  where t.event in ('sale', 'refund', 'dispute_opened', 'dispute_won', 'dispute_lost',
    'appeal_opened', 'appeal_won');
create view revenue_changes as
  select app_id, metric, day, 1 as count, net as amount from earned_changes;
create view referred_revenue as
  select affiliate_id, app_id, day, net, commission from earned_changes
  where affiliate_id is not null;

-- One trigger for both, so that what was earned is read once.
create function queue_earned() returns trigger language plpgsql as $$
begin
  with earned as materialized (select e.*
      from (select distinct transaction_id from inserted) i
        join earned_changes e using (transaction_id)),
    referred as (insert into referred_changes
        (affiliate_id, app_id, day, purchases, net, commission)
      select affiliate_id, app_id, day, 0, net, commission from earned
      where affiliate_id is not null)
    insert into metric_changes (app_id, metric, day, count, amount)
      select app_id, metric, day, 1, net from earned;
  return null;
end $$;
create trigger ledger_entries_earned after insert on ledger_entries
  referencing new table as inserted for each statement execute function queue_earned();

-- Paid purchases that an affiliate brought.
create view referred_purchases as
  select id as invoice_id, affiliate_id, app_id, (paid_at at time zone 'UTC')::date as day
  from invoices where affiliate_id is not null and kind = 'purchase' and status = 'paid';

create function queue_referred_purchase() returns trigger language plpgsql as $$
begin
  insert into referred_changes (affiliate_id, app_id, day, purchases, net, commission)
    select affiliate_id, app_id, day, 1, 0, 0 from referred_purchases where invoice_id = new.id;
  return null;
end $$;
create trigger invoices_referred_new after insert on invoices
  for each row when (new.affiliate_id is not null and new.status = 'paid')
  execute function queue_referred_purchase();
create trigger invoices_referred after update of status on invoices
  for each row when (new.affiliate_id is not null and new.status = 'paid'
    and old.status <> 'paid')
  execute function queue_referred_purchase();

-- What each license counts as now: its status, and its part of the monthly recurring revenue, less
-- a discount that applies to periods to come. A trial, a pause and an unpaid period earn nothing, and
-- neither does the time before the first charge.
create view license_metrics as
  select l.id as license_id, l.app_id, l.status as license_status,
    case when l.status not in ('canceled', 'preview') then l.status end as status,
    case when l.status in ('active', 'past_due') and s.ended_at is null and s.period_index > 0
      then coalesce(round((s.amount - case when d.percent is not null
          then round(s.amount * d.percent / 100.0)
          when d.amount is not null then least(d.amount, s.amount) else 0 end)
        * case p.frequency when 'year' then 1 / 12.0 when 'month' then 1
          when 'week' then 52 / 12.0 when 'day' then 365 / 12.0 end), 0) else 0 end::bigint as mrr,
    s.id as subscription_id, s.ended_at, s.created_at, d.id as discount_id, p.product_id,
    p.frequency
  from licenses l left join subscriptions s on s.license_id = l.id
    left join prices p on p.id = s.price_id
    left join discount_codes d on d.id = s.discount_id
      and (d.product_ids = '{}' or p.product_id = any(d.product_ids));

-- The same as counted so far.
create table counted_licenses (
  license_id text primary key,
  status text,
  mrr bigint not null,
  was_paying boolean not null
);

-- At the end of the transaction, when license and subscription are both changed.
create function queue_license_metrics() returns trigger language plpgsql as $$
declare
  at_day date := (new.at at time zone 'UTC')::date;
  former counted_licenses;
  present license_metrics;
begin
  select * into present from license_metrics where license_id = new.license_id;
  select * into former from counted_licenses where license_id = new.license_id for update;
  insert into metric_changes (app_id, metric, day, count, amount)
    select present.app_id, status, at_day, count, 0
    from (values (former.status, -1), (present.status, 1)) c (status, count)
    where status is not null and former.status is distinct from present.status;
  if present.mrr <> coalesce(former.mrr, 0) then
    insert into metric_changes (app_id, metric, day, count, amount)
      values (present.app_id, case when coalesce(former.mrr, 0) = 0
          then case when former.was_paying then 'mrr_reactivation' else 'mrr_new' end
          when present.mrr = 0 then 'mrr_churn'
          when present.mrr > former.mrr then 'mrr_expansion' else 'mrr_contraction' end,
        at_day, 1, present.mrr - coalesce(former.mrr, 0));
  end if;
  insert into counted_licenses (license_id, status, mrr, was_paying)
    values (new.license_id, present.status, present.mrr, present.mrr > 0)
    on conflict (license_id) do update set status = excluded.status, mrr = excluded.mrr,
      was_paying = counted_licenses.was_paying or excluded.was_paying;
  return null;
end $$;
create constraint trigger license_history_metrics after insert on license_history
  deferrable initially deferred for each row execute function queue_license_metrics();

-- One row per subscription, for lists that filter and sort by what several tables know. It is
-- derived: a deferred trigger writes it when a transaction commits, as for customers (decision 92).
create table listed_subscriptions (
  license_id text primary key references licenses,
  app_id text not null,
  -- The status of its license; canceled where the subscription has ended and the license continues.
  status text not null check (status in ('active', 'trialing', 'past_due', 'unpaid', 'paused',
    'canceled')),
  product_id text not null,
  -- Null where it ended by a change to a plan that is paid once.
  frequency text check (frequency in ('day', 'week', 'month', 'year')),
  discount_id text,
  mrr bigint not null,
  created_at timestamptz not null
);
create index listed_subscriptions_newest on listed_subscriptions (app_id, created_at, license_id)
  include (status, product_id, frequency, discount_id, mrr);
create index listed_subscriptions_mrr on listed_subscriptions (app_id, mrr, license_id)
  include (status, product_id, frequency, discount_id, created_at);
create index listed_subscriptions_status
  on listed_subscriptions (app_id, status, created_at, license_id)
  include (product_id, frequency, discount_id, mrr);
-- For the totals: equal keys are stored once.
create index listed_subscriptions_sums
  on listed_subscriptions (app_id, status, product_id, frequency, discount_id, mrr);

create view subscriptions_to_list as
  select license_id, app_id, case when ended_at is null
      and license_status not in ('one_time_active', 'preview') then license_status
      else 'canceled' end as status, product_id, frequency, discount_id, mrr, created_at
  from license_metrics where subscription_id is not null;

create function list_subscription() returns trigger language plpgsql as $$
begin
  insert into listed_subscriptions
    (license_id, app_id, status, product_id, frequency, discount_id, mrr, created_at)
    select license_id, app_id, status, product_id, frequency, discount_id, mrr, created_at
    from subscriptions_to_list where license_id = new.id
    on conflict (license_id) do update set status = excluded.status,
      product_id = excluded.product_id, frequency = excluded.frequency,
      discount_id = excluded.discount_id, mrr = excluded.mrr
      where (listed_subscriptions.status, listed_subscriptions.product_id,
          listed_subscriptions.frequency, listed_subscriptions.discount_id,
          listed_subscriptions.mrr)
        is distinct from (excluded.status, excluded.product_id, excluded.frequency,
          excluded.discount_id, excluded.mrr);
  return null;
end $$;
-- Whatever changes a subscription's plan, price or discount writes its license as well.
create constraint trigger licenses_subscription after insert or update of status, product_id
  on licenses deferrable initially deferred for each row execute function list_subscription();

-- A seller's walkthrough ends without an order, and is no checkout. A cart is completed in the time
-- of its app's test clock; its other steps are in real time.
create function queue_cart_metrics() returns trigger language plpgsql as $$
declare
  was_cart boolean := tg_op = 'UPDATE' and (old.completed_at is null or old.order_id is not null);
  is_walkthrough boolean := new.completed_at is not null and new.order_id is null;
begin
  insert into metric_changes (app_id, metric, day, count, amount)
    select new.app_id, step.metric,
      (coalesce(case when new.order_id is not null then new.completed_at end,
        new.updated_at + a.clock_ahead * interval '1 second') at time zone 'UTC')::date,
      step.present::int - step.former::int, 0
    from apps a, (values
        ('cart_details', was_cart, not is_walkthrough),
        ('cart_card', was_cart and old.card is not null,
          new.card is not null and not is_walkthrough),
        ('cart_paid', was_cart and old.order_id is not null, new.order_id is not null)
      ) step (metric, former, present)
    where a.id = new.app_id and step.former <> step.present;
  return null;
end $$;
create trigger carts_metrics after insert on carts
  for each row execute function queue_cart_metrics();
create trigger carts_step_metrics after update of card, order_id, completed_at on carts
  for each row when ((old.card is null) <> (new.card is null)
    or old.order_id is distinct from new.order_id
    or old.completed_at is distinct from new.completed_at)
  execute function queue_cart_metrics();

-- A cart is confirmed once, however often its payment is tried.
create function queue_confirmation() returns trigger language plpgsql as $$
begin
  insert into metric_changes (app_id, metric, day, count, amount)
    select new.app_id, 'cart_confirmation', (new.created_at at time zone 'UTC')::date, 1, 0
    where not exists (select 1 from invoices where cart_id = new.cart_id and id <> new.id);
  return null;
end $$;
create trigger invoices_metrics after insert on invoices
  for each row when (new.cart_id is not null) execute function queue_confirmation();
