import type { ProcessorRecord, ProcessorRecords } from '#domain/payments'
import type { Db } from '#platform/db'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { type IdPage, ofPage } from './report.ts'

/** A record of the processor that differs on our books, or is missing there. */
export interface Differing {
  /** Its index in the page that was compared. */
  position: number
  /** The id of our row, if any; `ours` is its amount. */
  our_id: string | null
  ours: Cents | null
  /** What the ledger moved on the processor's account for it, in cents. */
  booked: Cents
  /** Whether we requested it and have not recorded the answer yet. */
  is_open: boolean
}

/** One of our rows that the processor must have on record, under this id. */
export interface Expected {
  id: string
  listed_as: string | null
  amount: Cents
}

/** One kind of record, compared between the processor and our books. */
export interface Kind {
  name: keyof ProcessorRecords
  /**
   * The rule that is broken where the processor lacks our record, and where we lack the
   * processor's.
   */
  rules: { made: string; known: string }
  /** The records of a page that differ on our books. */
  differing(db: Db, processor: string, page: ProcessorRecord[]): Promise<Differing[]>
  /** Our rows created since a time. */
  madeSince(db: Db, since: Date): Promise<{ id: string }[]>
  /** Our rows that the processor must have. */
  expected(db: Db, processor: string, page: IdPage): Promise<Expected[]>
}

const LISTED = (page: ProcessorRecord[]) => sql`(select n - 1 as position, l ->> 'id' as id,
    l ->> 'key' as key, (l ->> 'amount')::bigint as amount, (l ->> 'moved')::bigint as moved
  from jsonb_array_elements(${JSON.stringify(page)}::jsonb) with ordinality as page (l, n)) l`

/** What transactions `t` of the ledger moved at the processor. */
const BOOKED = (which: Sql) => sql`cross join lateral (
    select coalesce(sum(e.amount), 0)::bigint as amount from ledger_transactions t
      join ledger_entries e on e.transaction_id = t.id and e.account = 'processor'
    where ${which}) b`

const CHARGES: Kind = {
  name: 'charges',
  rules: {
    made: 'a charge is one that the processor made',
    known: 'a charge at the processor is recorded',
  },
  differing: (db, processor, page) =>
    db.rows<Differing>(sql`select l.position, c.id as our_id, c.amount as ours, b.amount as booked,
        a.id is not null as is_open
      from ${LISTED(page)}
        left join charges c on c.processor = ${processor} and c.processor_charge_id = l.id
        left join attempts a on a.id = l.key and a.status in ('open', 'action_required')
        ${BOOKED(sql`t.event = 'sale' and t.subject = c.invoice_id`)}
      where c.id is null or c.amount <> l.amount or b.amount <> l.moved`),
  madeSince: (db, since) =>
    db.rows<{ id: string }>(sql`select id from charges where created_at >= ${since}`),
  expected: (db, processor, page) =>
    db.rows<Expected>(sql`select c.id, c.processor_charge_id as listed_as, c.amount from charges c
      where c.processor = ${processor} and ${ofPage(sql`c.id`, page)}`),
}

const REFUNDS: Kind = {
  name: 'refunds',
  rules: {
    made: 'a refund is one that the processor made',
    known: 'a refund at the processor is recorded',
  },
  differing: (db, _processor, page) =>
    db.rows<Differing>(sql`select l.position, our.id as our_id, our.amount as ours,
        b.amount as booked, o.id is not null as is_open
      from ${LISTED(page)}
        left join refunds r on r.processor_refund_id = l.id
        left join reissued_refunds x on x.processor_refund_id = l.id
        left join refunds o on o.id = l.key and o.status = 'open'
        cross join lateral (select coalesce(r.id, x.id) as id,
          coalesce(r.amount + x.amount, r.amount, x.amount) as amount) our
        ${BOOKED(sql`t.subject in (r.id, x.id) and t.event like 'refund%'`)}
      where our.id is null or our.amount <> l.amount or b.amount <> l.moved`),
  madeSince: (db, since) =>
    db.rows<{ id: string }>(sql`select id from refunds where created_at >= ${since}
      union all select id from reissued_refunds where created_at >= ${since}`),
  expected: (db, processor, page) =>
    db.rows<Expected>(sql`(select r.id, r.processor_refund_id as listed_as, r.amount from refunds r
          join charges c on c.id = r.charge_id and c.processor = ${processor}
        where r.is_made and ${ofPage(sql`r.id`, page)})
      union all (select x.id, x.processor_refund_id, x.amount from reissued_refunds x
          join charges c on c.id = x.charge_id and c.processor = ${processor}
        where ${ofPage(sql`x.id`, page)})
      order by id limit ${page.only?.length ?? page.limit}`),
}

const PAYOUTS: Kind = {
  name: 'payouts',
  rules: {
    made: 'a payout is one that the processor made',
    known: 'a payout at the processor is recorded',
  },
  differing: (db, _processor, page) =>
    db.rows<Differing>(sql`select l.position, p.id as our_id, p.amount as ours, b.amount as booked,
        o.id is not null as is_open
      from ${LISTED(page)}
        left join payouts o on o.id = l.key and o.status = 'open'
        left join payouts p on p.id = l.key
          and (p.status = 'failed' or p.status <> 'open' and p.processor_payout_id = l.id)
        ${BOOKED(sql`t.event in ('payout', 'payout_failed') and t.subject = p.id`)}
      where p.id is null or p.amount <> l.amount or b.amount <> l.moved`),
  madeSince: (db, since) =>
    db.rows<{ id: string }>(sql`select id from payouts where created_at >= ${since}`),
  expected: (db, _processor, page) =>
    db.rows<Expected>(sql`select p.id, p.processor_payout_id as listed_as, p.amount from payouts p
      where p.status in ('pending', 'paid') and ${ofPage(sql`p.id`, page)}`),
}

// An inquiry shrinks as its charge is refunded, so one that moved no money is compared by id alone.
const MOVED_MONEY = sql`d.status in ('open', 'lost')`
const DISPUTES: Kind = {
  name: 'disputes',
  rules: {
    made: 'a dispute is one that the processor reported',
    known: 'a dispute at the processor is recorded',
  },
  differing: (db, _processor, page) =>
    db.rows<Differing>(sql`select l.position, d.id as our_id,
        case when ${MOVED_MONEY} then d.amount else l.amount end as ours, b.amount as booked,
        false as is_open
      from ${LISTED(page)}
        left join disputes d on d.processor_dispute_id = l.id
        ${BOOKED(sql`t.event in ('dispute_opened', 'dispute_won', 'dispute_lost',
          'appeal_opened', 'appeal_won') and t.subject = d.id`)}
      where d.id is null or (${MOVED_MONEY} and d.amount <> l.amount) or b.amount <> l.moved`),
  madeSince: (db, since) =>
    db.rows<{ id: string }>(sql`select id from disputes where opened_at >= ${since}`),
  expected: (db, processor, page) =>
    db.rows<Expected>(sql`select d.id, d.processor_dispute_id as listed_as, d.amount
      from disputes d join charges c on c.id = d.charge_id and c.processor = ${processor}
      where ${ofPage(sql`d.id`, page)}`),
}

/** Every kind, in the order of the check. */
export const KINDS: readonly Kind[] = [CHARGES, REFUNDS, PAYOUTS, DISPUTES]
