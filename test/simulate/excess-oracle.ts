import { chargeBalances } from '#flows/charge-balances'
import type { ChargeId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Broken } from './calendar-oracle.ts'
import type { Fixture } from './fixture.ts'

/** What a buyer has of a charge, and what was settled, from other records than the ledger. */
interface ChargeMoney {
  charge_id: ChargeId
  user_id: UserId
  /** What cards and banks gave the buyer, by the processor's own records of refunds. */
  received: number
  /** What the sale gave for it, by the records of refunds and disputes. */
  borne: number
  paid: number
  settled: number
  written_off: number
}

/**
 * Compares what buyers received in excess of their charges, or are owed of them, with the
 * processor's refunds, with the answers that staff saw, and with the alarms that ask for it.
 */
export async function excessFaults(fixture: Fixture): Promise<Broken[]> {
  const faults: [rule: string, facts: unknown[]][] = [
    ['a repayment is booked once, as staff saw', await wrongRepayments(fixture)],
    ['a buyer has what was paid and not repaid', await wrongBalances(fixture)],
    ['an alarm asks for what is left to repay', await wrongAlarms(fixture)],
    ['a settlement has one email', await wrongEmails(fixture)],
  ]
  return faults.flatMap(([rule, facts]) => (facts.length > 0 ? [{ rule, facts }] : []))
}

async function wrongRepayments({ harness, record }: Fixture): Promise<unknown[]> {
  const rows = await harness.db.rows<{ id: string; amount: number }>(
    sql`select id, amount from excess_repayments`,
  )
  const booked = new Map(rows.map(({ id, amount }) => [id, amount]))
  const wrong: unknown[] = record.repayments.filter(({ id, amount, outcomes }) => {
    const isRecorded = outcomes.includes('recorded')
    const isRefused = outcomes.length > 0 && !isRecorded
    return booked.has(id) ? isRefused || booked.get(id) !== amount : isRecorded
  })
  const known = new Set<string>(record.repayments.map(({ id }) => id))
  return [...wrong, ...rows.filter(({ id }) => !known.has(id))]
}

async function wrongBalances({ harness, world }: Fixture): Promise<unknown[]> {
  const { db } = harness
  const charges = await db.rows<ChargeMoney>(sql`select c.id as charge_id, i.user_id,
      (select coalesce(sum(s.amount), 0)::bigint from sandbox.refunds s
        where s.charge_id = c.processor_charge_id and s.status <> 'refused'
          and (s.comes_back_at is null or s.comes_back_at > ${world.clock.now()}))
        + coalesce(d.amount, 0) as received,
      (select coalesce(sum(r.amount), 0)::bigint from refunds r
        where r.charge_id = c.id and r.is_made) + coalesce(d.amount - d.owed, 0) as borne,
      (select coalesce(sum(p.amount), 0)::bigint from buyer_payment_parts p
        where p.charge_id = c.id) as paid,
      (select coalesce(sum(p.amount), 0)::bigint from excess_parts p
        where p.charge_id = c.id) as settled,
      (select coalesce(sum(p.amount), 0)::bigint from excess_parts p
        where p.charge_id = c.id and p.settlement_id not like 'exr%') as written_off
    from charges c join invoices i on i.id = c.invoice_id
      left join disputes d on d.charge_id = c.id and d.status in ('open', 'lost')`)
  const wrong: unknown[] = []
  for (const [user_id, own] of Map.groupBy(charges, (each) => each.user_id)) {
    const balances = new Map(
      (await chargeBalances(db, user_id)).map(({ charge_id, balance }) => [charge_id, balance]),
    )
    for (const money of own) {
      const expected = money.received + money.paid - money.borne - money.settled
      const balance: number = balances.get(money.charge_id) ?? 0
      // What was written off did reach the buyer, or it would be owed to them now.
      if (balance !== expected || money.written_off < 0) wrong.push({ ...money, balance })
      else if (money.written_off > 0 && balance < 0) wrong.push({ ...money, balance })
    }
  }
  return wrong
}

async function wrongAlarms({ harness }: Fixture): Promise<unknown[]> {
  return await harness.db.rows(sql`select a.subject, a.message from alarms a
      join reissued_refunds x on x.processor_refund_id = a.subject
      join charges c on c.id = x.charge_id join invoices i on i.id = c.invoice_id
    where a.kind = 'refund_in_excess' and a.resolved_at is null and (x.status = 'failed'
      or not exists (select 1 from buyer_balances b
        where b.user_id = i.user_id and b.amount > 0))`)
}

async function wrongEmails({ harness }: Fixture): Promise<unknown[]> {
  return await harness.db.rows(sql`select s.id, count(e.id) as emails
    from (select id from excess_repayments union all select id from buyer_payments
        union all select id from write_offs where account = 'buyer_payable') s
      left join emails e on e.subject_id = s.id
    group by s.id having count(e.id) <> 1`)
}
