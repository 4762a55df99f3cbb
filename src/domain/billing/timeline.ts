import type { Db } from '#platform/db'
import type { AppId, LicenseId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import { IS_PAYMENT } from './invoices.ts'

/** The kinds of events of an app's licenses and money. */
export type TimelineEventKind =
  /** A license's transition: `why` is the trigger, `status` the new status. */
  | 'status'
  /** An invoice was paid: `why` is its kind. */
  | 'paid'
  /** A bank declined a payment: `why` is the decline code. */
  | 'declined'
  | 'refund'
  /** The buyer's bank returned a refund: the buyer is owed it. `why` is the refund's reason. */
  | 'refund_returned'
  /** A bank asks about a payment, and may withdraw it later. */
  | 'inquiry_opened'
  | 'inquiry_closed'
  | 'dispute_opened'
  /** `why` is `won` or `lost`. */
  | 'dispute_closed'
  /** An email was queued, and not found unneeded when it was written: `why` is its template. */
  | 'email'
  | 'payout'
  /** `why` is `paid`, `failed` (never sent to the bank) or `returned` by it. */
  | 'payout_settled'

/** An event, dated by the app's time. */
export interface TimelineEvent {
  at: Date
  kind: TimelineEventKind
  why: string
  status: string | null
  /** The amount that moved, tax included; null if none did. */
  amount: Cents | null
  /** The id of the invoice, refund, dispute, payout or email's subject. */
  subject: string
  license_id: LicenseId | null
  /** The buyer's email; null for events that concern the seller. */
  email: string | null
  /** Its order among events at the same time, which is unique together with its kind. */
  rank: number
  tie: string
}

/** The place of an event in the order of all. */
export interface TimelinePlace extends Pick<TimelineEvent, 'at' | 'rank' | 'tie'> {
  kind: string
}

/** Which of the events: the earliest first, or the latest before a place. */
export type TimelinePage =
  | { limit: number; offset: number; is_reversed?: undefined }
  | { limit: number; is_reversed: true; below?: TimelinePlace | undefined }

/** Which events: of an app between two times (after `from`, up to `to`), or of one license. */
export interface Span {
  app_id: AppId
  from?: Date
  to?: Date
  license_id?: LicenseId
}

/** The events, in order: the earliest first, unless `is_reversed`. */
export async function timelineEvents(
  db: Db,
  span: Span,
  page: TimelinePage,
): Promise<TimelineEvent[]> {
  const all = everything(span)
  const order = page.is_reversed
    ? sql`h.at desc, h.rank desc, h.tie desc, h.kind desc`
    : sql`h.at, h.rank, h.tie, h.kind`
  const offset = page.is_reversed ? 0 : page.offset
  const below = page.is_reversed ? page.below : undefined
  return await db.rows<TimelineEvent>(sql`
    select h.at, h.kind, h.why, h.status, h.amount, h.subject, h.license_id, u.email, h.rank, h.tie
    from (${all}) h left join licenses l on l.id = h.license_id
      left join users u on u.id = l.user_id
    where ${within(span)} ${isBefore(below)} order by ${order}
    limit ${page.limit} offset ${offset}`)
}

/** How often an event happened, and the sum of its amounts. */
export interface Tally {
  kind: TimelineEventKind
  why: string
  count: number
  amount: Cents
}

/** The events, counted by kind. */
export async function tally(db: Db, span: Span): Promise<Tally[]> {
  return await db.rows<Tally>(sql`
    select h.kind, h.why, count(*) as count, coalesce(sum(h.amount), 0)::bigint as amount
    from (${everything(span)}) h where ${within(span)}
    group by h.kind, h.why order by min(h.rank), h.kind, h.why`)
}

function within({ from, to, license_id }: Span): Sql {
  return sql`(${from ?? null}::timestamptz is null or h.at > ${from ?? null})
    and (${to ?? null}::timestamptz is null or h.at <= ${to ?? null})
    ${license_id === undefined ? sql`` : sql`and h.license_id = ${license_id}`}`
}

function isBefore(below: TimelinePlace | undefined): Sql {
  if (!below) return sql``
  const { at, rank, tie, kind } = below
  return sql`and (h.at, h.rank, h.tie, h.kind) < (${at}::timestamptz, ${rank}::integer,
    ${tie}::text, ${kind}::text)`
}

/**
 * Every event with its time, and its rank among events at the same time: causes come before their
 * effects.
 */
function everything({ app_id }: Span): Sql {
  return sql`
    select d.opened_at as at, 1 as rank, d.id as tie,
      case when d.status in ('inquiry', 'inquiry_closed') then 'inquiry_opened'
        else 'dispute_opened' end as kind,
      d.reason as why, null as status, d.amount, d.id as subject, i.license_id
      from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
      where i.app_id = ${app_id}
    union all select d.closed_at, 1, d.id,
      case d.status when 'inquiry_closed' then d.status else 'dispute_closed' end, d.status, null,
      d.amount, d.id, i.license_id
      from disputes d join charges c on c.id = d.charge_id join invoices i on i.id = c.invoice_id
      where i.app_id = ${app_id} and d.closed_at is not null
    union all select r.created_at, 2, r.id, 'refund', r.reason, null, r.amount, r.id, i.license_id
      from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id
      where i.app_id = ${app_id} and r.is_made
    union all select r.settled_at, 2, r.id, 'refund_returned', r.reason, null, r.amount, r.id,
      i.license_id
      from refunds r join charges c on c.id = r.charge_id join invoices i on i.id = c.invoice_id
      where i.app_id = ${app_id} and r.status = 'failed'
    union all select a.settled_at, 2, lpad(a.number::text, 12, '0'), 'declined', a.decline_code,
      null, a.amount, i.id, i.license_id
      from attempts a join invoices i on i.id = a.invoice_id
      where i.app_id = ${app_id} and i.number is not null and a.status = 'declined'
    union all select i.paid_at, 3, lpad(i.number::text, 12, '0'), 'paid', i.kind, null,
      i.amount + i.tax, i.id, i.license_id
      from invoices i where i.app_id = ${app_id} and ${IS_PAYMENT(sql`i`)}
    union all select s.at, 4, lpad(s.id::text, 12, '0'), 'status', s.trigger, s.to_status, null,
      l.id, l.id
      from license_history s join licenses l on l.id = s.license_id where l.app_id = ${app_id}
    union all select m.queued_at, 5, m.id, 'email', m.kind, null, null, m.subject_id, w.license_id
      from emails m join (${writtenAbout(app_id)}) w on w.subject = m.subject_id
      where m.sent_at is null or m.recipients is not null
    union all select p.created_at, 3, p.id, 'payout', p.cause, null, p.amount, p.id, null
      from payouts p join apps a on a.seller_id = p.owner where a.id = ${app_id}
    union all select p.settled_at, 3, p.id, 'payout_settled',
      case when p.status = 'failed' and not p.was_refused then 'returned'
        else p.status end, null, p.amount, p.id, null
      from payouts p join apps a on a.seller_id = p.owner
      where a.id = ${app_id} and p.settled_at is not null`
}

/** The subjects of emails about an app, each with its license. */
function writtenAbout(app_id: AppId): Sql {
  return sql`select id as subject, id as license_id from licenses where app_id = ${app_id}
    union all select id, license_id from orders where app_id = ${app_id}
    union all select id, license_id from invoices where app_id = ${app_id}
    union all select r.id, i.license_id from refunds r join charges c on c.id = r.charge_id
      join invoices i on i.id = c.invoice_id where i.app_id = ${app_id}
    union all select d.id, i.license_id from disputes d join charges c on c.id = d.charge_id
      join invoices i on i.id = c.invoice_id where i.app_id = ${app_id}
    union all select p.id, null from payouts p join apps a on a.seller_id = p.owner
      where a.id = ${app_id}`
}
