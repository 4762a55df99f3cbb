import type { Db } from '#platform/db'
import type { InvoiceId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'

/** A sale that the tax service quoted and has no record of. */
export interface UnrecordedSale {
  invoice_id: InvoiceId
  rule: string
}

/** A refund or a lost dispute of a recorded sale that the tax service has no record of. */
export interface UnrecordedReversal {
  subject: string
  invoice_id: InvoiceId
  transaction_id: string
  amount: Cents
}

/** Invoices paid since a time, by rules with this prefix, that are not recorded yet. */
export async function unrecordedSales(
  db: Db,
  since: Date,
  prefix: string,
): Promise<UnrecordedSale[]> {
  return await db.rows<UnrecordedSale>(sql`select i.id as invoice_id, q.rule
    from ledger_transactions t join invoices i on i.id = t.subject
      join tax_quotes q on q.id = i.tax_quote_id
    where t.event = 'sale' and t.at >= ${since} and i.status = 'paid'
      and starts_with(q.rule, ${prefix}) and i.amount > 0
      and not exists (select 1 from tax_records r where r.subject = i.id)
    order by i.paid_at limit 100`)
}

/** A recorded reversal that no longer applies, as a lost dispute was won on appeal. */
export interface UnrecordedAppeal {
  subject: string
  invoice_id: InvoiceId
  /** The tax service's id of the reversal. */
  transaction_id: string
}

/**
 * Refunds made and disputes lost since a time, of recorded sales, that are not recorded yet. A
 * failed refund counts: its buyer is owed the money, so the books keep the tax as not owed
 * (docs/money.md).
 */
export async function unrecordedReversals(db: Db, since: Date): Promise<UnrecordedReversal[]> {
  return await db.rows<UnrecordedReversal>(sql`
    select b.id as subject, s.invoice_id, s.transaction_id, b.amount
    from (select id, charge_id, amount, created_at as at from refunds
        where is_made and created_at >= ${since}
      union all select id, charge_id, amount - owed, closed_at from disputes
        where status = 'lost' and amount > owed
          and coalesce(closed_at, opened_at) >= ${since}) b
      join charges c on c.id = b.charge_id
      join tax_records s on s.subject = c.invoice_id and s.transaction_id is not null
    where not exists (select 1 from tax_records r where r.subject = b.id)
    order by b.at limit 100`)
}

/** Recorded losses of disputes that were won on appeal, and are not undone yet. */
export async function unrecordedAppeals(db: Db): Promise<UnrecordedAppeal[]> {
  return await db.rows<UnrecordedAppeal>(sql`
    select d.id || ':undone' as subject, r.invoice_id, r.transaction_id
    from disputes d join tax_records r on r.subject = d.id and r.transaction_id is not null
    where d.appeal = 'won'
      and not exists (select 1 from tax_records u where u.subject = d.id || ':undone')
    order by d.closed_at limit 100`)
}

/** Stores that the tax service has a record; undefined: it refused. */
export async function addRecord(
  db: Db,
  now: Date,
  record: { subject: string; invoice_id: InvoiceId; transaction_id: string | undefined },
): Promise<void> {
  const { subject, invoice_id, transaction_id } = record
  await db.run(sql`insert into tax_records (subject, invoice_id, transaction_id, recorded_at)
    values (${subject}, ${invoice_id}, ${transaction_id ?? null}, ${now}) on conflict do nothing`)
}
