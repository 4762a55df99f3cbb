import { sql } from '#platform/sql'
import type { ExportedRow, ExportTable } from './table.ts'

const AFFILIATES: ExportTable = {
  name: 'affiliates',
  about: 'The affiliates who referred buyers.',
  columns: {
    affiliate_id: 'The affiliate, aff_…',
    code: 'The code of their links.',
    invoices: 'How many paid invoices they referred.',
    commission: {
      cents: 'What they earned, paid from the fee of the service, after refunds and lost disputes.',
    },
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select f.id as cursor, f.id as affiliate_id, f.code, count(*) as invoices,
        sum(i.commission - coalesce(r.commission, 0) - coalesce(d.commission, 0))::bigint
          as commission
      from invoices i join affiliates f on f.id = i.affiliate_id
        left join charges c on c.invoice_id = i.id
        left join lateral (select sum(commission) as commission from refunds
          where charge_id = c.id and is_made) r on true
        left join lateral (select sum(commission) as commission from disputes
          where charge_id = c.id and status = 'lost') d on true
      where i.seller_id = ${seller_id} and i.status = 'paid' and i.number is not null
        and f.id > ${after}
      group by f.id, f.code order by f.id limit ${limit}) x order by x.cursor`),
}

const PAYOUTS: ExportTable = {
  name: 'payouts',
  about: 'The payouts.',
  columns: {
    payout_id: 'The payout, po_…',
    number: 'Its number.',
    amount: { cents: 'The amount.' },
    status: 'The status.',
    failure: 'Why it failed, or why the bank returned it.',
    created_at: 'When it was made.',
    settled_at: 'When it arrived, failed or was returned.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select p.id as cursor, p.id as payout_id, p.number, p.amount, p.status, p.failure,
        p.created_at, p.settled_at
      from payouts p where p.owner = ${seller_id} and p.id > ${after}
      order by p.id limit ${limit}) x order by x.cursor`),
}

const LEDGER: ExportTable = {
  name: 'ledger',
  about:
    'The lines of the ledger on the accounts of the seller. Each payout is the sum of its lines.',
  columns: {
    line: 'The number of the line.',
    at: 'When.',
    event: 'What happened.',
    subject: 'To which invoice, refund, dispute or payout.',
    account: 'The account of the ledger.',
    amount: { cents: 'What is added to the balance of the seller.' },
    payout_id: 'The payout whose statement has the line.',
  },
  page: (db, { seller_id, after, limit }) =>
    db.rows<ExportedRow>(sql`select x.cursor, to_jsonb(x) - 'cursor' as row from (
      select e.number::text as cursor, e.number as line, t.at, t.event, t.subject, e.account,
        -e.amount as amount, l.payout_id
      from ledger_entries e join ledger_transactions t on t.id = e.transaction_id
        left join payout_lines l on l.transaction_id = e.transaction_id and l.position = e.position
      where e.owner = ${seller_id} and e.number > coalesce(nullif(${after}, '')::bigint, 0)
      order by e.number limit ${limit}) x order by x.line`),
}

/** What a seller earned and was paid. */
export const MONEY_TABLES = [AFFILIATES, PAYOUTS, LEDGER]
