import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, ImportId, LicenseId, ProductId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { columnsOf, rowsOf, sql } from '#platform/sql'
import type { RowOutcome } from './decide.ts'
import type { ImportSource, OverReason } from './record.ts'

/** A row of a file as it was read. */
export interface ImportRow {
  line: number
  external_id: string
  email: string
  email_normalized: string
  plan: string
  key_hash: Buffer | null
  ends_at: Date | null
  over: OverReason | null
  amount: Cents | null
  frequency: Frequency | null
}

/** Stores rows of a file. A line that is already stored does not change. */
export async function addRows(
  db: Db,
  import_id: ImportId,
  rows: readonly ImportRow[],
): Promise<void> {
  await db.run(sql`insert into import_rows (import_id, ${columnsOf(TYPES)})
    select ${import_id}, row.* from ${rowsOf(rows, TYPES)}
    on conflict (import_id, line) do nothing`)
}

const TYPES = {
  line: 'int',
  external_id: 'text',
  email: 'text',
  email_normalized: 'text',
  plan: 'text',
  key_hash: 'bytea',
  ends_at: 'timestamptz',
  over: 'text',
  amount: 'bigint',
  frequency: 'text',
} as const

/** Deletes the rows of a file, before it is read again. */
export async function deleteRows(db: Db, import_id: ImportId): Promise<void> {
  await db.run(sql`delete from import_rows where import_id = ${import_id}`)
}

/** Deletes the rows about a person, whose account is deleted, and their email from faults. */
export async function deleteRowsAbout(db: Db, emails: readonly string[]): Promise<void> {
  await db.run(sql`delete from import_rows where email_normalized = any(${[...emails]}::text[])`)
  await db.run(sql`update import_faults set value = ''
    where lower(value) = any(${[...emails]}::text[]) and value like '%@%'`)
}

/** A product of a file, with its number of rows and its most frequent price. */
export interface FilePlan {
  plan: string
  rows: number
  /** The number of rows that entitle their buyer for good. */
  lasting: number
  amount: Cents | null
  frequency: Frequency | null
}

/** The most products of a file that a seller can match with plans, on one page. */
export const MAX_FILE_PLANS = 200

/** The products of a file, most frequent first: one more than the most, if it has more. */
export async function plansOf(db: Db, import_id: ImportId): Promise<FilePlan[]> {
  return await db.rows<FilePlan>(sql`select plan, rows, lasting, price[1]::bigint as amount,
      price[2] as frequency
    from (select plan, count(*) as rows,
        count(*) filter (where ends_at is null and over is null) as lasting,
        mode() within group (order by array[amount::text, frequency])
          filter (where amount is not null) as price
      from import_rows where import_id = ${import_id} group by plan) p
    order by rows desc, plan limit ${MAX_FILE_PLANS + 1}`)
}

/** A row with its buyer's and its own license. */
export interface LeadingRow extends ImportRow {
  /** Its place in the order of the import. */
  place: number
  is_best: boolean
  has_best: boolean
  /** What is done with the best row of its buyer. */
  best_outcome: RowOutcome | null
  /** The license that this row became before. */
  own_id: LicenseId | null
  /** The buyer's latest license of this plan and service that ended here before its time. */
  former_id: LicenseId | null
  /** The live license of the buyer. */
  live_id: LicenseId | null
  /** Whether another row of this file became the live license. */
  is_live_in_file: boolean
  /** The IDs of the rows that these licenses came from. */
  own_records: string[]
  former_records: string[]
  live_records: string[]
  /** Whether this is an ended subscription, of whose plan an order became the live license. */
  is_end_of_order: boolean
  is_buying: boolean
  is_key_new: boolean
  is_key_taken: boolean
  is_key_replaced: boolean
  product_id: ProductId | null
}

/** The next rows of an import after a place, with the licenses that they lead to. */
export async function nextRows(
  db: Db,
  of: { import_id: ImportId; app_id: AppId; source: ImportSource; after: number; limit: number },
): Promise<LeadingRow[]> {
  // Each lookup is by an index, one row at a time: the tables grow while the import runs, and the
  // statistics of the planner do not.
  return await db.rows<LeadingRow>(sql`
    select r.place, r.line, r.external_id, r.email, r.email_normalized, r.plan, r.key_hash, r.ends_at,
      r.over, r.amount, r.frequency, r.is_best, i.plans ->> r.plan as product_id,
      b.line is not null as has_best, b.outcome as best_outcome,
      rec.license_id as own_id, f.id as former_id, l.id as live_id,
      (select true from imported_records o join import_rows f on f.import_id = r.import_id
          and f.external_id = o.external_id
        where o.license_id = l.id and o.source = ${of.source} limit 1) is not null
        as is_live_in_file,
      array(select o.external_id from imported_records o
        where o.license_id = rec.license_id and o.source = ${of.source}) as own_records,
      array(select o.external_id from imported_records o
        where o.license_id = f.id and o.source = ${of.source}) as former_records,
      array(select o.external_id from imported_records o
        where o.license_id = l.id and o.source = ${of.source}) as live_records,
      r.over is not distinct from 'ended' and r.external_id like 'subscription:%'
        and i.source = 'lemon_squeezy'
        and (select true from import_rows f join imported_records o on o.app_id = ${of.app_id}
            and o.source = ${of.source} and o.external_id = f.external_id
          where f.email_normalized = r.email_normalized and f.plan = r.plan
            and f.external_id like 'order:%' and o.license_id = l.id limit 1) is not null
        as is_end_of_order,
      exists (select 1 from attempts a where a.app_id = ${of.app_id}
        and a.status in ('open', 'action_required')
        and a.email_normalized = r.email_normalized) as is_buying,
      r.key_hash is not null
        and (select true from license_key_aliases k join licenses kl on kl.id = k.license_id
          where k.app_id = ${of.app_id} and k.key_hash = r.key_hash
            and (kl.status <> 'canceled' or k.replaced_at is not null) limit 1) is null
        and (select true from licenses own where own.key_hash = r.key_hash limit 1) is null
        as is_key_new,
      (select true from license_key_aliases k join licenses kl on kl.id = k.license_id
          where k.app_id = ${of.app_id} and k.key_hash = r.key_hash
            and (kl.status <> 'canceled' or k.replaced_at is not null)
            and kl.user_id is distinct from u.id limit 1) is not null
        or (select true from licenses own where own.key_hash = r.key_hash
          and own.app_id = ${of.app_id} and own.user_id is distinct from u.id limit 1) is not null
        as is_key_taken,
      (select true from license_key_aliases k where k.app_id = ${of.app_id}
          and k.key_hash = r.key_hash and k.replaced_at is not null limit 1) is not null
        as is_key_replaced
    from import_rows r join imports i on i.id = r.import_id
      left join lateral (select f.line, f.outcome from import_rows f
        where f.import_id = r.import_id and f.is_best
          and f.email_normalized = r.email_normalized limit 1) b on true
      left join lateral (select o.license_id from imported_records o
        where o.app_id = ${of.app_id} and o.source = ${of.source}
          and o.external_id = r.external_id limit 1) rec on true
      left join lateral (select p.id from users p
        where p.email_normalized = r.email_normalized limit 1) u on true
      left join lateral (select s.id from licenses s where s.app_id = ${of.app_id}
          and s.user_id = u.id and s.status not in ('canceled', 'preview') limit 1) l on true
      left join lateral (select e.id from (select * from licenses where user_id = u.id offset 0) e
        where e.app_id = ${of.app_id} and e.product_id = i.plans ->> r.plan
          and e.status = 'canceled'
          and (e.origin <> 'import' or e.period_end is null or e.canceled_at < e.period_end)
          and (select true from imported_records o
            where o.license_id = e.id and o.source = ${of.source} limit 1) is not null
          and (select true from license_history h
            where h.license_id = e.id and h.trigger = 'source_ended' limit 1) is null
        order by e.created_at desc, e.id desc limit 1) f on true
    where r.import_id = ${of.import_id} and r.place > ${of.after}
    order by r.place limit ${of.limit}`)
}

/** Whether another row of the same buyer in a file says that a key can be used. */
export async function isKeyActive(
  db: Db,
  of: { import_id: ImportId; email_normalized: string; key_hash: Buffer },
): Promise<boolean> {
  const active = sql`select 1 from import_rows where email_normalized = ${of.email_normalized}
    and import_id = ${of.import_id} and key_hash = ${of.key_hash} and over is null limit 1`
  return (await db.maybe(active)) !== undefined
}

/** Records what is done with rows. */
export async function setOutcomes(
  db: Db,
  import_id: ImportId,
  outcomes: readonly { line: number; outcome: RowOutcome }[],
): Promise<void> {
  await db.run(sql`update import_rows r set outcome = row.outcome
    from ${rowsOf(outcomes, { line: 'int', outcome: 'text' })}
    where r.import_id = ${import_id} and r.line = row.line`)
}

/** How many rows have each outcome. */
export async function countOutcomes(
  db: Db,
  import_id: ImportId,
): Promise<Partial<Record<RowOutcome, number>>> {
  const rows = await db.rows<{ outcome: RowOutcome; count: number }>(sql`
    select outcome, count(*) as count from import_rows
    where import_id = ${import_id} and outcome is not null group by outcome`)
  return Object.fromEntries(rows.map(({ outcome, count }) => [outcome, count]))
}

/** A row in the report of an import. */
export interface ReportedRow {
  line: number
  email: string
  plan: string
  ends_at: Date | null
  over: OverReason | null
  outcome: RowOutcome
}

/** The rows of a report after a line, in the order of the file. */
export async function reportedRows(
  db: Db,
  of: { import_id: ImportId; after: number; limit: number },
): Promise<ReportedRow[]> {
  return await db.rows<ReportedRow>(sql`select line, email, plan, ends_at, over, outcome
    from import_rows where import_id = ${of.import_id} and line > ${of.after}
      and outcome is not null
    order by line limit ${of.limit}`)
}

/**
 * The keys of rows of a buyer that had ended, in files of an app that were imported: they open no
 * license until a row of another file says that the buyer has one.
 */
export async function endedKeys(
  db: Db,
  of: { app_id: AppId; source: ImportSource; email_normalized: string },
): Promise<Buffer[]> {
  const rows = await db.rows<{ key_hash: Buffer }>(sql`select r.key_hash
    from import_rows r join imports i on i.id = r.import_id
    where r.email_normalized = ${of.email_normalized} and r.over = 'ended'
      and r.outcome = 'over' and r.key_hash is not null
      and i.app_id = ${of.app_id} and i.source = ${of.source}
      and i.status in ('importing', 'done')`)
  return rows.map(({ key_hash }) => key_hash)
}
