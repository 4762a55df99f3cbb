import { type Sql, sql } from '#platform/sql'
import { SELLER_INVOICES } from '../../src/domain/billing/seller-invoices.ts'

const ALIVE = sql`status not in ('canceled', 'preview')`

/** Rules over the tables, each with a query for the rows that break it. */
export const RULES: readonly (readonly [rule: string, broken: Sql])[] = [
  [
    'every ledger transaction sums to zero',
    sql`select t.id from ledger_transactions t
      left join ledger_entries e on e.transaction_id = t.id
      group by t.id, e.currency having coalesce(sum(e.amount), 1) <> 0`,
  ],
  [
    'a cart is charged once at the processor',
    sql`select i.cart_id from attempts a join sandbox.charges s on s.key = a.id
      join invoices i on i.id = a.invoice_id
      where s.status = 'succeeded' and i.cart_id is not null
        and (s.amount > 0 or a.status = 'succeeded')
      group by i.cart_id having count(*) > 1`,
  ],
  [
    'money that the processor took has its charge, its order and its license',
    sql`select s.id, s.amount from sandbox.charges s
      left join charges c on c.processor_charge_id = s.id and c.amount = s.amount
      left join invoices i on i.id = c.invoice_id
      left join orders o on o.id = i.order_id
      left join licenses l on l.id = o.license_id and l.id = i.license_id
      where s.status = 'succeeded' and s.amount > 0 and l.id is null`,
  ],
  [
    'a charge on the books is one that the processor made',
    sql`select c.id from charges c
      left join sandbox.charges s on s.id = c.processor_charge_id and s.status = 'succeeded'
      where s.id is null`,
  ],
  [
    'a license comes from an order, and a preview or a comp from none',
    sql`select l.id from licenses l left join orders o on o.license_id = l.id
      left join invoices i on i.license_id = l.id
      left join license_history h on h.license_id = l.id and h.from_status is null
      left join license_history c on c.license_id = l.id and c.trigger = 'continued'
      group by l.id having (count(o.id) = 0) <> (l.origin in ('preview', 'comp', 'import'))
        or l.origin is distinct from
          case when count(c.id) = 0 then max(h.trigger) else 'purchase' end
        or (count(c.id) > 0 and max(h.trigger) <> 'import')
        or (l.origin <> 'purchase' and count(i.id) > 0)`,
  ],
  [
    'a preview of an app belongs to a member of its seller',
    sql`select l.id from license_history h join licenses l on l.id = h.license_id
      join apps a on a.id = l.app_id
      where h.to_status = 'preview' and l.status = 'preview' and not exists (
        select 1 from seller_members m where m.seller_id = a.seller_id and m.user_id = l.user_id)`,
  ],
  [
    'no seller is charged for their own app',
    sql`select o.id from orders o join invoices i on i.id = o.invoice_id
      join seller_members m on m.seller_id = i.seller_id and m.user_id = o.user_id
        and m.created_at < o.created_at`,
  ],
  [
    'a buyer of an app is its customer, with the latest license and what was paid and kept',
    sql`select o.app_id, o.user_id, c.paid, b.kept from (select distinct app_id, user_id from licenses
        where origin <> 'preview') o
      full join customers c on c.app_id = o.app_id and c.user_id = o.user_id
      left join licenses l on l.id = c.license_id
      cross join lateral (select coalesce(sum(h.amount
          - (select coalesce(sum(r.amount), 0) from refunds r
            where r.charge_id = h.id and r.status not in ('open', 'refused'))
          - (select coalesce(sum(d.amount - d.owed), 0) from disputes d
            where d.charge_id = h.id and d.status = 'lost')), 0) as kept
        from charges h join invoices i on i.id = h.invoice_id
        where i.app_id = o.app_id and i.user_id = o.user_id) b
      where c.user_id is null or o.user_id is null or c.paid <> b.kept
        or (c.status, c.product_id) is distinct from (l.status, l.product_id)
        or l.created_at <> (select max(created_at) from licenses w where w.app_id = o.app_id
          and w.user_id = o.user_id and w.origin <> 'preview')
        or c.first_at <> (select min(created_at) from licenses w where w.app_id = o.app_id
          and w.user_id = o.user_id and w.origin <> 'preview')`,
  ],
  [
    'a subscription is listed with its status, plan and recurring revenue',
    sql`select s.license_id from subscriptions_to_list s
      full join listed_subscriptions x on x.license_id = s.license_id
      where (x.app_id, x.status, x.product_id, x.frequency, x.discount_id, x.mrr, x.created_at)
        is distinct from (s.app_id, s.status, s.product_id, s.frequency, s.discount_id, s.mrr,
          s.created_at)`,
  ],
  [
    'what is left of a listed sale after refunds and disputes is what the ledger says',
    sql`select s.id, s.net, s.deducted, s.dispute_deducted, l.earned
      from (${SELLER_INVOICES(sql`select * from invoices where number is not null`)}) s
      left join (select t.invoice_id, -sum(e.amount) as earned
        from posted_invoices t join ledger_entries e using (transaction_id)
        where e.account in ('seller_payable', 'dispute_hold') group by t.invoice_id) l
        on l.invoice_id = s.id
      where s.net - s.deducted - s.dispute_deducted <> coalesce(l.earned, 0)`,
  ],
  [
    'an order has one paid invoice of its own, and no other purchase has one',
    sql`select i.id from invoices i left join orders o on o.invoice_id = i.id
      where (o.id is not null) <> (i.kind = 'purchase' and i.status = 'paid')
        or o.id <> i.order_id`,
  ],
  [
    'the lines of an invoice add up to its amount',
    sql`select i.id from invoices i left join invoice_lines l on l.invoice_id = i.id
      group by i.id having coalesce(sum(l.amount), -1) <> i.amount`,
  ],
  [
    'a trial is checked for nothing and gets no number, and every other paid invoice has one',
    sql`select id from invoices where status = 'paid' and (number is null) <> (trial_days > 0)
      or (amount > 0 and trial_days > 0) or (status = 'draft' and number is not null)`,
  ],
  [
    'an invoice is free only by a trial, a discount or what was paid elsewhere, and a discount is never more than the price',
    sql`select i.id from invoices i join invoice_lines l on l.invoice_id = i.id group by i.id
      having (i.amount = 0 and count(*) filter (where l.kind in ('trial', 'discount', 'prepaid')) = 0)
        or sum(l.amount) filter (where l.kind in ('price', 'discount')) < 0`,
  ],
  [
    'what was paid elsewhere is deducted where an imported license continues, and nowhere else',
    sql`select i.id from invoices i left join carts c on c.id = i.cart_id
      left join invoice_lines l on l.invoice_id = i.id and l.kind = 'prepaid'
      where (l.invoice_id is not null) <> (c.continues_license_id is not null)
          and (l.invoice_id is not null or i.tax > 0)
        or c.continues_license_id <> i.license_id or (l.invoice_id is not null and i.amount > 0)`,
  ],
  [
    'a purchase with a discount that waits or is paid uses its code, and no other purchase does',
    sql`select i.id from invoices i
      left join invoice_lines l on l.invoice_id = i.id and l.kind = 'discount'
      left join discount_uses u on u.invoice_id = i.id
      left join discount_codes d on d.id = u.discount_id
      where (u.invoice_id is not null) <> (i.kind = 'purchase' and l.code is not null
          and i.status in ('draft', 'paid'))
        or d.code <> l.code or d.app_id <> i.app_id`,
  ],
  [
    'a discount code is used in no more purchases than it allows',
    sql`select d.id from discount_codes d join discount_uses u on u.discount_id = d.id
      group by d.id having count(*) > d.max_uses`,
  ],
  [
    'a paid invoice has one charge of its amount and tax, and a waived one or any other none',
    sql`select i.id from invoices i left join charges c on c.invoice_id = i.id
      group by i.id having count(c.id)
          <> (case when i.status = 'paid' and i.amount > 0 and not i.is_waived then 1 else 0 end)
        or coalesce(sum(c.amount), i.amount + i.tax) <> i.amount + i.tax`,
  ],
  [
    'a due below the smallest charge is waived, and no other',
    sql`select i.id, i.amount + i.tax as due from invoices i
      where i.status = 'paid' and i.amount > 0 and i.is_waived <> (i.amount + i.tax < 50)`,
  ],
  [
    'an invoice is charged once at the processor',
    sql`select a.invoice_id from attempts a join sandbox.charges s on s.key = a.id
      where s.status = 'succeeded' and a.invoice_id is not null
      group by a.invoice_id having count(*) > 1`,
  ],
  [
    'a period of a subscription is paid once',
    sql`select i.subscription_id, i.period_index from invoices i
      join charges c on c.invoice_id = i.id where i.subscription_id is not null
      group by 1, 2 having count(*) > 1`,
  ],
  [
    'a license that is subscribed to has its subscription, and a canceled one has none that runs',
    sql`select l.id from licenses l left join subscriptions s on s.license_id = l.id
        and s.ended_at is null
      where (l.status in ('active', 'trialing', 'past_due', 'unpaid')
          and l.origin not in ('comp', 'import')
          and s.id is null)
        or (l.status = 'canceled' and s.id is not null)`,
  ],
  [
    'a comp or an imported license is never subscribed to, and ends when it should',
    sql`select l.id from licenses l left join subscriptions s on s.license_id = l.id
      where l.origin in ('comp', 'import') and (s.id is not null
        or l.status not in ('active', 'one_time_active', 'paused', 'canceled')
        or (l.status = 'active') <> (l.status <> 'canceled' and l.status <> 'paused'
          and l.period_end is not null))`,
  ],
  [
    'a buyer has one live license of an app',
    sql`select app_id, user_id from licenses where ${ALIVE}
      group by app_id, user_id having count(*) > 1`,
  ],
  [
    'what was charged is the price and the tax of the stored quote',
    sql`select i.id from invoices i join tax_quotes q on q.id = i.tax_quote_id
      where i.kind = 'purchase' and i.amount > 0 and (i.amount <> q.amount or i.tax <> q.tax)`,
  ],
  [
    'a sale is the tax, the commission, the rest of the fee and what the seller gets, to the cent',
    sql`select i.id from invoices i
      left join ledger_transactions t on t.event = 'sale' and t.subject = i.id
      left join ledger_entries e on e.transaction_id = t.id
      where i.status = 'paid' group by i.id
      having coalesce(sum(e.amount) filter (where e.account
            = case when i.is_waived then 'waived' else 'processor' end), 0) <> i.amount + i.tax
        or coalesce(sum(e.amount) filter (where e.account = 'tax_payable'), 0) <> -i.tax
        or coalesce(sum(e.amount) filter (where e.account = 'affiliate_payable'), 0)
          <> -i.commission
        or coalesce(sum(e.amount) filter (where e.account = 'fees'), 0)
          <> i.commission + i.add_on_fee - i.fee
        or coalesce(sum(e.amount) filter (where e.account = 'add_on_fees'), 0) <> -i.add_on_fee
        or coalesce(sum(e.amount) filter (where e.account = 'seller_payable'), 0)
          <> i.fee - i.amount`,
  ],
  [
    'what went back by refunds and lost disputes is no more than was charged',
    sql`select c.id from charges c
      left join lateral (select sum(amount) as amount from refunds
        where charge_id = c.id and status <> 'refused') r on true
      left join lateral (select sum(amount - owed) as amount from disputes
        where charge_id = c.id and status = 'lost') d on true
      where coalesce(r.amount, 0) + coalesce(d.amount, 0) > c.amount`,
  ],
  [
    'a refund that was given has its posting, one that came back its own, and any other none',
    sql`select r.id from refunds r
      left join ledger_transactions t on t.subject = r.id and t.event = 'refund'
      left join ledger_transactions f on f.subject = r.id and f.event = 'refund_failed'
      left join ledger_entries e on e.transaction_id = t.id and e.account = 'processor'
      where (t.id is not null) <> r.is_made
        or (f.id is not null) <> (r.status = 'failed') or e.amount <> -r.amount`,
  ],
  [
    'a refund that was made again has its posting, and one that came back again its own',
    sql`select r.id from reissued_refunds r
      left join ledger_transactions t on t.subject = r.id and t.event = 'refund_reissued'
      left join ledger_transactions f on f.subject = r.id and f.event = 'refund_reissue_failed'
      left join ledger_entries e on e.transaction_id = t.id and e.account = 'processor'
      where e.amount is distinct from -r.amount or (f.id is not null) <> (r.status = 'failed')`,
  ],
  [
    'a fully refunded invoice returned its tax, its commission and all but the fixed fee',
    sql`select i.id from invoices i join charges c on c.invoice_id = i.id
      join refunds r on r.charge_id = c.id and r.is_made
      group by i.id having sum(r.amount) = i.amount + i.tax and (sum(r.tax) <> i.tax
        or sum(r.commission) <> i.commission or sum(r.add_on_fee) <> i.add_on_fee
        or sum(r.fee) not in (i.fee, i.fee - i.fixed_fee))`,
  ],
  [
    'a refund that the processor did is one that we asked for, once',
    sql`select s.id from sandbox.refunds s
        left join refunds r on r.id = s.key or r.processor_refund_id = s.id
        left join reissued_refunds x on x.processor_refund_id = s.id
      where s.status <> 'refused' and (coalesce(r.amount + x.amount, r.amount, x.amount)
        is distinct from s.amount or r.status = 'refused')`,
  ],
  [
    'a dispute has the postings of its state, and an inquiry none',
    sql`select d.id from disputes d
      left join ledger_transactions o on o.subject = d.id and o.event = 'dispute_opened'
      left join ledger_transactions w on w.subject = d.id and w.event = 'dispute_won'
      left join ledger_transactions l on l.subject = d.id and l.event = 'dispute_lost'
      where (d.status in ('inquiry', 'inquiry_closed') and num_nonnulls(o.id, w.id, l.id) > 0)
        or (d.status = 'open' and (o.id is null or num_nonnulls(w.id, l.id) > 0))
        or (d.status = 'won' and d.appeal is null
          and (o.id is null or w.id is null or l.id is not null))
        or (d.status = 'lost' and d.appeal is null
          and (o.id is null or (l.id is null) <> (d.amount = d.owed) or w.id is not null))`,
  ],
  [
    'a license of which a charge is disputed does not entitle',
    sql`select l.id from licenses l join invoices i on i.license_id = l.id
      join charges c on c.invoice_id = i.id join disputes d on d.charge_id = c.id
      where d.status = 'open' and l.status not in ('paused', 'canceled')`,
  ],
  [
    'what the banks withhold for disputes is the amount of the open ones',
    sql`select 'disputes_open' as account from (select
        (select coalesce(sum(amount), 0) from ledger_entries where account = 'disputes_open') as withheld,
        (select coalesce(sum(amount - owed), 0) from disputes where status = 'open') as open) x
      where withheld <> open`,
  ],
  [
    'a payout pays no more than what was available, and nothing to a payee who owes',
    // Refunds of a sale are deducted from its pending amount first.
    sql`select p.id, p.amount, x.available from payouts p
      join lateral (select coalesce(sum(case when s.reserved >= s.taken then s.free
            else s.free + s.reserved - s.taken end), 0) as available
          from (select coalesce(sum(-l.amount) filter (where l.amount < 0 and not l.is_reserved), 0)
                as free,
              coalesce(sum(-l.amount) filter (where l.amount < 0 and l.is_reserved), 0) as reserved,
              coalesce(sum(l.amount) filter (where l.amount > 0), 0) as taken
            from (select e.amount, t.event not in ('payout_failed', 'write_off')
                  and t.at > p.created_at - interval '1 day'
                    * case p.account when 'seller_payable' then 7 else 30 end as is_reserved,
                case t.event when 'sale' then t.subject
                  else coalesce(c.invoice_id, t.id) end as sale
              from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
                left join refunds r on r.id = t.subject left join disputes d on d.id = t.subject
                left join charges c on c.id = coalesce(r.charge_id, d.charge_id)
              where e.account = p.account and e.owner = p.owner and t.subject <> p.id
                and (t.at < p.created_at or (t.at = p.created_at and e.amount < 0))) l
            group by l.sale) s) x on true
      where p.amount > x.available
        or p.amount < case p.cause when 'weekly' then 2500 else least(2500, x.available) end`,
  ],
  [
    'the last rotation of a key has its line in the audit log',
    sql`select l.id from licenses l left join audit_log a
      on a.subject = l.id and a.action = 'license.key_rotated'
      group by l.id having l.rotated_at is distinct from max(a.at)`,
  ],
  [
    'an order has one receipt',
    sql`select o.id from orders o left join emails l on l.cause = 'receipt:' || o.invoice_id
      group by o.id having count(l.id) <> 1`,
  ],
]
