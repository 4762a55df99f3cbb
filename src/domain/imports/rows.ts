import type { Frequency } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, ImportId, LicenseId, ProductId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { sql } from '#platform/sql'
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

/** Stores rows of a file. A line that is stored already is left alone. */
export async function addRows(
  db: Db,
  import_id: ImportId,
  rows: readonly ImportRow[],
): Promise<void> {
  const all = <Key extends keyof ImportRow>(key: Key) => rows.map((row) => row[key])
  await db.run(sql`insert into import_rows (import_id, line, external_id, email, email_normalized,
      plan, key_hash, ends_at, over, amount, frequency)
    select ${import_id}, q.* from unnest(${all('line')}::int[], ${all('external_id')}::text[],
      ${all('email')}::text[], ${all('email_normalized')}::text[], ${all('plan')}::text[],
      ${all('key_hash')}::bytea[], ${all('ends_at')}::timestamptz[], ${all('over')}::text[],
      ${all('amount')}::bigint[], ${all('frequency')}::text[]) q
    on conflict (import_id, line) do nothing`)
}

/** Deletes the rows of a file, before it is read again. */
export async function dropRows(db: Db, import_id: ImportId): Promise<void> {
  await db.run(sql`delete from import_rows where import_id = ${import_id}`)
}

/** Deletes the rows about a person, whose account is deleted. */
export async function forgetRows(db: Db, emails: readonly string[]): Promise<void> {
  await db.run(sql`delete from import_rows where email_normalized = any(${[...emails]}::text[])`)
}

/** A product of a file, with its number of rows and its usual price. */
export interface FilePlan {
  plan: string
  rows: number
  amount: Cents | null
  frequency: Frequency | null
}

/** The products of a file, the most frequent first. */
export async function plansOf(db: Db, import_id: ImportId): Promise<FilePlan[]> {
  return await db.rows<FilePlan>(sql`select plan, count(*) as rows,
      mode() within group (order by amount) as amount,
      mode() within group (order by frequency) as frequency
    from import_rows where import_id = ${import_id}
    group by plan order by count(*) desc, plan`)
}

/**
 * Marks the row of each buyer that entitles for the longest: one for good, then the one that ends
 * last, then the first of the file. These rows are imported first, as the others add to them.
 */
export async function markBest(db: Db, import_id: ImportId): Promise<void> {
  await db.run(sql`with entitling as (
      select w.line, row_number() over (partition by w.email_normalized
        order by w.ends_at desc nulls first, w.line) = 1 as is_best
      from import_rows w join imports i on i.id = w.import_id
      where w.import_id = ${import_id} and w.over is null and i.plans ->> w.plan is not null),
    ordered as (
      select w.line, coalesce(e.is_best, false) as is_best,
        row_number() over (order by coalesce(e.is_best, false) desc, w.line) as place
      from import_rows w left join entitling e on e.line = w.line
      where w.import_id = ${import_id})
    update import_rows r set is_best = o.is_best, place = o.place, outcome = null
    from ordered o where r.import_id = ${import_id} and r.line = o.line`)
}

/** A row with what is known of its buyer and its license. */
export interface LeadingRow extends ImportRow {
  /** Its place in the order of the import. */
  place: number
  is_best: boolean
  has_best: boolean
  /** The license that this row became before. */
  own_id: LicenseId | null
  /** The live license of the buyer. */
  live_id: LicenseId | null
  /** Whether another row of this file became the live license. */
  is_live_in_file: boolean
  is_buying: boolean
  is_key_new: boolean
  product_id: ProductId | null
}

/** The next rows of an import after a place, with the licenses that they lead to. */
export async function nextRows(
  db: Db,
  of: { import_id: ImportId; app_id: AppId; source: ImportSource; after: number; limit: number },
): Promise<LeadingRow[]> {
  return await db.rows<LeadingRow>(sql`
    select r.place, r.line, r.external_id, r.email, r.email_normalized, r.plan, r.key_hash, r.ends_at,
      r.over, r.amount, r.frequency, r.is_best, i.plans ->> r.plan as product_id,
      exists (select 1 from import_rows b where b.import_id = r.import_id and b.is_best
        and b.email_normalized = r.email_normalized) as has_best,
      rec.license_id as own_id, l.id as live_id,
      exists (select 1 from imported_records o join import_rows f on f.import_id = r.import_id
          and f.external_id = o.external_id
        where o.license_id = l.id and o.app_id = ${of.app_id} and o.source = ${of.source})
        as is_live_in_file,
      exists (select 1 from attempts a where a.app_id = ${of.app_id}
        and a.status in ('open', 'action_required')
        and a.email_normalized = r.email_normalized) as is_buying,
      r.key_hash is not null
        and not exists (select 1 from license_key_aliases k join licenses kl on kl.id = k.license_id
          where k.app_id = ${of.app_id} and k.key_hash = r.key_hash and kl.status <> 'canceled')
        and not exists (select 1 from licenses own where own.key_hash = r.key_hash) as is_key_new
    from import_rows r join imports i on i.id = r.import_id
      left join imported_records rec on rec.app_id = ${of.app_id} and rec.source = ${of.source}
        and rec.external_id = r.external_id
      left join users u on u.email_normalized = r.email_normalized
      left join licenses l on l.app_id = ${of.app_id} and l.user_id = u.id
        and l.status not in ('canceled', 'preview')
    where r.import_id = ${of.import_id} and r.place > ${of.after}
    order by r.place limit ${of.limit}`)
}

/** Records what is done with rows. */
export async function setOutcomes(
  db: Db,
  import_id: ImportId,
  outcomes: readonly { line: number; outcome: RowOutcome }[],
): Promise<void> {
  await db.run(sql`update import_rows r set outcome = q.outcome
    from unnest(${outcomes.map(({ line }) => line)}::int[],
      ${outcomes.map(({ outcome }) => outcome)}::text[]) as q (line, outcome)
    where r.import_id = ${import_id} and r.line = q.line`)
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
  outcome: RowOutcome
}

/** The rows of a report after a line, in the order of the file. */
export async function reportedRows(
  db: Db,
  of: { import_id: ImportId; after: number; limit: number },
): Promise<ReportedRow[]> {
  return await db.rows<ReportedRow>(sql`select line, email, plan, ends_at, outcome
    from import_rows where import_id = ${of.import_id} and line > ${of.after}
      and outcome is not null
    order by line limit ${of.limit}`)
}
