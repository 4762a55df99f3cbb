import * as licensing from '#domain/licensing'
import { addSeconds } from '#platform/calendar'
import { type Sql, sql } from '#platform/sql'

/** A rule that is true while nothing is pending, as a query for the rows that break it. */
export interface Rule {
  rule: string
  broken(now: Date): Sql
}

const { BEGINNINGS, TRANSITIONS } = licensing
const [triggers, froms, tos] = [
  [...BEGINNINGS.map(({ trigger }) => trigger), ...TRANSITIONS.map(({ trigger }) => trigger)],
  [...BEGINNINGS.map(() => null), ...TRANSITIONS.map(({ from }) => from)],
  [...BEGINNINGS.map(({ to }) => to), ...TRANSITIONS.map(({ to }) => to)],
]
const HOUR = 3600

const STEPS = sql`(select license_id, at, from_status, to_status, trigger,
    lag(to_status) over mine as before, lead(at) over mine as until,
    row_number() over (partition by license_id order by id desc) as from_last
  from license_history window mine as (partition by license_id order by id)) h`

// A request that never arrives is repeated each hour and does not count.
const NOT_LOST = sql`not exists (select 1 from attempts a join invoices i on i.id = a.invoice_id
  where i.subscription_id = s.id and i.status = 'open' and a.status = 'closed')`

/** The refunds of a charge, in cents, including pending ones. */
const WENT_BACK = sql`(select coalesce(sum(amount), 0) from refunds
    where charge_id = c.id and status <> 'refused')`
const IS_LAST = sql`not exists (select 1 from invoices o
    where o.license_id = i.license_id and o.status = 'paid' and not o.is_waived and o.amount > 0
      and (o.paid_at, o.number) > (i.paid_at, i.number))`

export const RULES: readonly Rule[] = [
  {
    rule: 'a license went along the table of transitions, and is where its history ends',
    broken: () => sql`select l.id, l.status, h.from_status, h.to_status, h.trigger
      from licenses l left join ${STEPS} on h.license_id = l.id
      where h.license_id is null or h.from_status is distinct from h.before
        or (h.from_last = 1 and h.to_status <> l.status)
        or not exists (select 1 from unnest(${triggers}::text[], ${froms}::text[], ${tos}::text[])
          as way (trigger, from_status, to_status)
          where way.trigger = h.trigger and way.from_status is not distinct from h.from_status
            and way.to_status = h.to_status)`,
  },
  {
    rule: 'nothing that the processor was asked or reported stays open for an hour',
    broken: (now) => {
      const before = addSeconds(now, -HOUR)
      return sql`select 'refund' as what, id from refunds
          where status = 'open' and created_at < ${before}
        union all select 'payout', id from payouts
          where status = 'open' and created_at < ${before}
            -- What was put off waits for the end of a pause.
            and (retry_at is null or owner not in (
              select id from sellers where payouts_paused_at is not null))
        union all select 'event', id from sandbox.events
          where not acknowledged and due_at < ${before}
        union all select 'attempt', id from attempts
          where status in ('open', 'action_required') and created_at < ${before}`
    },
  },
  {
    rule: 'every event of the processor is recorded as handled',
    broken: () => sql`select e.id from sandbox.events e
      left join processor_events p on p.id = e.id
      where e.acknowledged and p.handled_at is null`,
  },
  {
    rule: 'what the processor reported as final is final',
    broken: (now) => sql`select p.id from payouts p join sandbox.events e
        on e.subject = p.processor_payout_id and e.acknowledged
        where p.status <> e.content->>'outcome'
      union all select r.id from refunds r join sandbox.events e
        on e.subject = r.processor_refund_id and e.acknowledged
        where r.status <> e.content->>'outcome'
      union all select d.id from disputes d
        -- An appeal changes the outcome, and opens a closed inquiry.
        join sandbox.disputes s on s.id = d.processor_dispute_id and s.closes_at <= ${now}
        where replace(d.status, 'inquiry_closed', 'won') <> s.outcome
          and exists (select 1 from sandbox.events e
          where e.subject = s.id and e.acknowledged and e.content->>'kind' = 'dispute_closed')`,
  },
  {
    rule: 'nothing that is due is left undone',
    broken: (now) => {
      const before = addSeconds(now, -HOUR / 4)
      return sql`select s.id, l.status, s.next_at, s.period_end from subscriptions s
        join licenses l on l.id = s.license_id
        where s.ended_at is null and (s.next_at <= ${before}
          or (s.next_at is null and l.status not in ('paused', 'canceled'))
          or (l.status in ('active', 'trialing') and s.period_end < ${before}
            and ${NOT_LOST}))`
    },
  },
  {
    rule: 'an unpaid renewal is retried for three weeks and then no longer',
    broken: (now) => sql`select s.id, s.past_due_since from subscriptions s
      join licenses l on l.id = s.license_id
      where s.ended_at is null and l.status in ('past_due', 'unpaid')
        and (s.past_due_since is null or (${NOT_LOST}
          and s.past_due_since < ${now}::timestamptz - interval '22 days'))`,
  },
  {
    rule: 'nothing is charged after the end of a license, unless it is refunded at once',
    broken: () => sql`select a.id from attempts a join invoices i on i.id = a.invoice_id
      join license_history h on h.license_id = i.license_id and h.to_status = 'canceled'
      left join charges c on c.invoice_id = i.id
      where a.status = 'succeeded' and (a.created_at > h.at
        or (a.settled_at > h.at and c.amount > ${WENT_BACK}
          and not exists (select 1 from disputes d where d.charge_id = c.id)
          and not exists (select 1 from refunds r
            where r.charge_id = c.id and r.status = 'refused')))`,
  },
  {
    rule: 'nothing renews while auto-renew is off',
    broken: () => sql`select a.id from attempts a join invoices i on i.id = a.invoice_id
        join audit_log o on o.subject = i.license_id and o.action = 'license.auto_renew_off'
      where a.requested_by = 'schedule' and i.kind = 'renewal' and o.at < a.created_at
        and not exists (select 1 from audit_log n where n.subject = o.subject and n.id > o.id
          and n.action = 'license.auto_renew_on' and n.at <= a.created_at)`,
  },
  {
    rule: 'nothing is charged for a license while it is suspended',
    broken: () => sql`select a.id from attempts a join invoices i on i.id = a.invoice_id
      join ${STEPS} on h.license_id = i.license_id and h.to_status = 'paused'
      where a.requested_by = 'schedule' and a.created_at > h.at
        and (h.until is null or a.created_at < h.until)`,
  },
  {
    rule: 'nothing is asked for that is too little to charge',
    broken: () => sql`select id, amount from attempts where amount between 1 and 49`,
  },
  {
    rule: 'a license whose latest charge went back whole is over',
    broken: () => sql`select i.license_id, i.id from invoices i
      join charges c on c.invoice_id = i.id join licenses l on l.id = i.license_id
      where l.status <> 'canceled' and ${WENT_BACK} >= c.amount and ${IS_LAST}`,
  },
  {
    rule: 'a license is suspended for a dispute while there is one, and over when one is lost',
    broken: () => sql`select l.id, l.status, d.status as dispute from licenses l
      join invoices i on i.license_id = l.id join charges c on c.invoice_id = i.id
      join disputes d on d.charge_id = c.id
      where (d.status = 'lost' and l.status <> 'canceled')
      union all select l.id, l.status, null from licenses l
      where l.paused_for = 'dispute' and not exists (select 1 from disputes d
        join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
        where i.license_id = l.id and d.status = 'open')`,
  },
  {
    rule: 'a paid invoice has one email to its buyer, and a refund too',
    broken: () => sql`select i.id from invoices i
        left join emails l on l.cause = 'receipt:' || i.id
        where i.kind <> 'purchase' and (l.id is not null) <> (i.status = 'paid')
      union all select r.id from refunds r
        left join emails l on l.cause = 'refund_issued:' || r.id
        where (l.id is not null) <> r.is_made`,
  },
  {
    rule: 'a code for one use per buyer is used once by each',
    broken: () => sql`select d.id, i.user_id from discount_codes d
        join discount_uses u on u.discount_id = d.id join invoices i on i.id = u.invoice_id
      where d.is_once_per_buyer and i.status = 'paid' group by 1, 2 having count(*) > 1`,
  },
  {
    rule: 'a code for first purchases is used by buyers who had bought nothing before',
    broken: () => sql`select o.id from discount_codes d
        join discount_uses u on u.discount_id = d.id join orders o on o.invoice_id = u.invoice_id
      where d.is_first_purchase and exists (select 1 from orders e
        where e.user_id = o.user_id and e.app_id = o.app_id and e.created_at < o.created_at)`,
  },
  {
    rule: 'a given plan ends when it should, and is never charged',
    broken: (now) => sql`select l.id, l.status, l.period_end from licenses l
      where l.origin = 'comp' and ((l.status = 'active' and l.period_end <= ${now})
        or exists (select 1 from invoices i where i.license_id = l.id))`,
  },
  {
    rule: 'an imported license ends when it should, and is charged only once it continues',
    broken: (now) => sql`select l.id, l.status, l.period_end from licenses l
      where l.origin = 'import' and ((l.status = 'active' and l.period_end <= ${now})
        or exists (select 1 from subscriptions s where s.license_id = l.id))`,
  },
  {
    rule: 'a given plan has one email to its person, and one more when its seller ends it',
    broken: () => sql`select l.id, count(e.id) as emails from licenses l
        left join emails e on e.subject_id = l.id and e.kind in ('plan_given', 'given_plan_ended')
      where l.origin = 'comp' group by l.id
      having count(*) filter (where e.kind = 'plan_given') <> 1
        or count(*) filter (where e.kind = 'given_plan_ended') <> (select count(*) from audit_log
          where subject = l.id and action = 'license.ended')`,
  },
  {
    rule: 'nothing is sold while its app is not on sale',
    // What ends the sale is dated before it waits for attempts that are being recorded.
    broken: () => sql`select a.id, o.action, o.at from attempts a
        join invoices i on i.id = a.invoice_id and i.kind = 'purchase'
        cross join (values ('app.transferred', 'app.approved'), ('app.unpublished', 'app.published'),
          ('app.archived', 'app.published'), ('app.suspended', 'app.reinstated'),
          ('seller.suspended', 'seller.reinstated')) as sale (ends, begins)
        join audit_log o on o.action = sale.ends and o.subject in (i.app_id, i.seller_id)
          and o.at < a.created_at - interval '1 minute'
      where not exists (select 1 from audit_log n where n.subject = o.subject and n.id > o.id
        and n.action = sale.begins and n.at <= a.created_at)`,
  },
  {
    rule: 'a seller who owes money transfers no app, and keeps no secret of it',
    broken: () => sql`select t.id, b.owed from app_transfers t
        -- What was written in the last minute may have come after it.
        cross join lateral (select least(sum(e.amount), coalesce(sum(e.amount)
              filter (where x.at < t.decided_at - interval '1 minute'), 0)) as owed
            from ledger_entries e join ledger_transactions x on x.id = e.transaction_id
          where e.account = 'seller_payable' and e.owner = t.from_seller
            and x.at < t.decided_at) b
      where t.outcome = 'accepted' and b.owed > 0
      union all select t.id, null from app_transfers t join clients c on c.app_id = t.app_id
      where t.outcome = 'accepted' and c.secret_hash is not null`,
  },
  {
    rule: 'a license that its seller ends has an email to its buyer, and to its seller if it renewed',
    broken: () => sql`select l.id, g.at, count(e.id) as emails from audit_log g
        join licenses l on l.id = g.subject and l.origin <> 'comp'
        left join emails e on e.subject_id = l.id and e.queued_at = g.at
          and e.kind in ('given_plan_ended', 'subscription_canceled', 'seller_cancellation')
      where g.action = 'license.ended' group by l.id, g.id
      having array_agg(distinct e.kind order by e.kind) <> case l.origin
        when 'import' then array['given_plan_ended']
        else array['seller_cancellation', 'subscription_canceled'] end`,
  },
  {
    rule: 'the credit of an upgrade is refunded with it, and no more than it consumed',
    broken: () => sql`select u.id from refunds u join charges c on c.id = u.charge_id
        join refunds r on r.upgrade_refund_id = u.id
      group by u.id, c.invoice_id having (bool_or(r.is_made) and not u.is_made)
        -- Each charge is rounded.
        or sum(r.amount - r.tax) > count(*) - (select sum(amount) from invoice_lines
          where invoice_id = c.invoice_id and kind = 'credit')`,
  },
]
