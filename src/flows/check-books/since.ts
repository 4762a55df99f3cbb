import type { LedgerEvent } from '#domain/ledger'
import type { Db } from '#platform/db'
import { type Sql, sql } from '#platform/sql'

/** A condition on the time of a transaction; `since` undefined means any time. */
export function postedSince(at: Sql, since: Date | undefined): Sql {
  return since ? sql`${at} >= ${since}` : sql`true`
}

/** Records that are checked again if they have a posting since a time, or changed since. */
interface CheckedKind {
  events: LedgerEvent[]
  /** The ids of the records that were created or settled since then. */
  changed(db: Db, since: Date): Promise<Ids>
}

/** One array instead of a row for each, as there may be a million. */
interface Ids {
  ids: string[]
}

/** The ids of the records that are checked again; undefined if everything is checked. */
export async function idsSince(
  db: Db,
  since: Date | undefined,
  { events, changed }: CheckedKind,
): Promise<string[] | undefined> {
  if (!since) return undefined
  const posted = await db.one<Ids>(sql`select coalesce(array_agg(subject), '{}') as ids
    from ledger_transactions where at >= ${since} and event = any(${events})`)
  const { ids } = await changed(db, since)
  return [...new Set([...posted.ids, ...ids])]
}

/** Invoices, by app: its index has their times. */
export const INVOICES: CheckedKind = {
  events: ['sale'],
  changed: (db, since) =>
    db.one<Ids>(sql`select coalesce(array_agg(i.id), '{}') as ids
      from apps a cross join lateral (
        select id from invoices where app_id = a.id and created_at >= ${since}
        union select id from invoices where app_id = a.id and number is not null
          and coalesce(paid_at, created_at) >= ${since}) i`),
}

/** Refunds, by when they were requested or settled. */
export const REFUNDS: CheckedKind = {
  events: ['refund', 'refund_failed'],
  changed: (db, since) =>
    db.one<Ids>(sql`select coalesce(array_agg(id), '{}') as ids from refunds
      where coalesce(settled_at, created_at) >= ${since}`),
}

/** Disputes, by when they were opened or closed. */
export const DISPUTES: CheckedKind = {
  events: ['dispute_opened', 'dispute_won', 'dispute_lost', 'appeal_opened', 'appeal_won'],
  changed: (db, since) =>
    db.one<Ids>(sql`select coalesce(array_agg(id), '{}') as ids from disputes
      where coalesce(closed_at, opened_at) >= ${since}`),
}

/** Payouts, by when they were requested or settled. */
export const PAYOUTS: CheckedKind = {
  events: ['payout', 'payout_failed'],
  changed: (db, since) =>
    db.one<Ids>(sql`select coalesce(array_agg(id), '{}') as ids from payouts
      where coalesce(settled_at, created_at) >= ${since}`),
}
