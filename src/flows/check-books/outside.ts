import type { Db } from '#platform/db'
import { type Cents, cents, formatAmount } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import type { Report } from './report.ts'

/**
 * The sandbox's own records are the second truth: what it took, gave back and paid out. What is
 * still on its way (an open attempt, an event that was not heard yet) is on neither side.
 */
export async function checkOutside(db: Db, report: Report): Promise<void> {
  for (const [rule, broken] of RULES) {
    const rows = await db.rows<{ id: string; ours: Cents | null; theirs: Cents | null }>(broken)
    for (const { id, ours, theirs } of rows) {
      const words = `on our books ${moneyOr(ours)}, at the processor ${moneyOr(theirs)}`
      report.differ(rule, id, words)
    }
  }
  const { ours, theirs } = await db.one<{ ours: Cents; theirs: Cents }>(HOLDINGS)
  if (ours !== theirs) {
    const words = `${formatAmount(ours)} on our books, ${formatAmount(theirs)} by its records`
    report.differ('the processor holds what the books say', 'processor', words)
  }
}

function moneyOr(amount: Cents | null): string {
  return amount === null ? 'nothing' : formatAmount(cents(Number(amount)))
}

const RULES: readonly (readonly [rule: string, broken: Sql])[] = [
  [
    'a charge is one that the processor made',
    sql`select c.id, c.amount as ours, s.amount as theirs from charges c
      left join sandbox.charges s on s.id = c.processor_charge_id and s.status = 'succeeded'
      where s.amount is distinct from c.amount`,
  ],
  [
    'what the processor took is on the books',
    sql`select s.id, null::bigint as ours, s.amount as theirs from sandbox.charges s
      left join charges c on c.processor_charge_id = s.id
      left join attempts t on t.id = s.key and t.status in ('open', 'action_required')
      where s.status = 'succeeded' and s.amount > 0 and c.id is null and t.id is null`,
  ],
  [
    'a refund is one that the processor gave',
    sql`select r.id, r.amount as ours, s.amount as theirs from refunds r
      left join sandbox.refunds s on s.id = r.processor_refund_id and s.status <> 'refused'
      where r.status in ('pending', 'succeeded', 'failed')
        and s.amount is distinct from r.amount`,
  ],
  [
    'what the processor gave back is on the books',
    sql`select s.id, null::bigint as ours, s.amount as theirs from sandbox.refunds s
      left join refunds r on r.processor_refund_id = s.id
      left join refunds o on o.id = s.key and o.status = 'open'
      where s.status <> 'refused' and r.id is null and o.id is null
        and not exists (select 1 from sandbox.events e
          where e.subject = s.id and e.told->>'kind' = 'refund_made' and not e.acknowledged)`,
  ],
  [
    'a payout is one that the processor made',
    sql`select p.id, p.amount as ours, s.amount as theirs from payouts p
      left join sandbox.payouts s on s.id = p.processor_payout_id
      where p.status in ('pending', 'paid') and s.amount is distinct from p.amount`,
  ],
  [
    'what the processor paid out is on the books',
    sql`select s.id, null::bigint as ours, s.amount as theirs from sandbox.payouts s
      left join payouts p on p.processor_payout_id = s.id
      left join payouts o on o.id = s.key and o.status = 'open'
      where s.status = 'pending' and p.id is null and o.id is null`,
  ],
  [
    'a dispute is one that the processor told of',
    sql`select d.id, d.amount as ours, s.amount::bigint as theirs from disputes d
      left join sandbox.disputes s on s.id = d.processor_dispute_id
      where s.id is null or (d.status = 'open' and s.amount <> d.amount)`,
  ],
]

const HEARD = sql`select e.subject, e.told, e.position from sandbox.events e where e.acknowledged`

// What it took, less what went back, out, or is held for disputes. A payout is booked before the
// processor is asked for it, and stays open while the processor's balance does not reach for it.
const HOLDINGS = sql`with heard as (${HEARD})
  select
    (select coalesce(sum(e.amount), 0)::bigint from ledger_entries e
      join ledger_transactions t on t.id = e.transaction_id
      where e.account = 'processor' and t.event not in ('remittance', 'buyer_paid', 'processor_day')) as ours,
    ((select coalesce(sum(s.amount), 0) from sandbox.charges s
        where s.status = 'succeeded'
          and exists (select 1 from charges c where c.processor_charge_id = s.id))
      - (select coalesce(sum(s.amount), 0) from sandbox.refunds s where s.status <> 'refused'
          and exists (select 1 from refunds r where r.processor_refund_id = s.id))
      + (select coalesce(sum(s.amount), 0) from sandbox.refunds s join heard h
          on h.subject = s.id and h.told->>'outcome' = 'failed')
      - (select coalesce(sum((h.told->>'amount')::bigint), 0) from heard h
          where h.told->>'kind' = 'dispute_opened' and h.told->>'is_inquiry' = 'false')
      + (select coalesce(sum(d.amount), 0) from sandbox.disputes d
          join lateral (select h.told->>'outcome' as outcome from heard h where h.subject = d.id
            and h.told->>'kind' = 'dispute_closed' order by h.position desc limit 1) last
            on last.outcome = 'won'
          where exists (select 1 from heard o where o.subject = d.id
            and o.told->>'kind' = 'dispute_opened' and o.told->>'is_inquiry' = 'false'))
      - (select coalesce(sum(s.amount), 0) from sandbox.payouts s where s.status = 'pending'
          and exists (select 1 from payouts p where p.processor_payout_id = s.id))
      - (select coalesce(sum(p.amount), 0) from payouts p where p.status = 'open')
      + (select coalesce(sum(s.amount), 0) from sandbox.payouts s join heard h
          on h.subject = s.id and h.told->>'kind' = 'payout_settled'
            and h.told->>'outcome' = 'failed'))::bigint as theirs`
