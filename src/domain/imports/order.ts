import type { Db } from '#platform/db'
import type { ImportId } from '#platform/ids'
import { sql } from '#platform/sql'

/** No statement keeps the database for long: the embedded one runs in the process of the pages. */
const LINES_AT_ONCE = 2_000

/**
 * Marks the row of each buyer that entitles for the longest: one for good, then the one that ends
 * last, then the first of the file. These rows are imported first, as the others add to them, so
 * every row gets its place in that order. The outcomes of an earlier dry run are removed.
 */
export async function orderRows(db: Db, import_id: ImportId): Promise<void> {
  await forEachPart(db, import_id, (part) => endOrders(db, import_id, part))
  await forEachPart(db, import_id, (part) => markBest(db, import_id, part))
  let place = 0
  for (const is_best of [true, false]) {
    await forEachPart(db, import_id, async (part) => {
      place += await placeRows(db, import_id, { ...part, is_best, place })
    })
  }
}

/** Lines of a file: after `from`, up to `to`. */
interface LineSpan {
  from: number
  to: number
}

async function forEachPart(
  db: Db,
  import_id: ImportId,
  work: (part: LineSpan) => Promise<void>,
): Promise<void> {
  const { last } = await db.one<{ last: number }>(
    sql`select coalesce(max(line), 0) as last from import_rows where import_id = ${import_id}`,
  )
  for (let from = 0; from < last; from += LINES_AT_ONCE) {
    await work({ from, to: from + LINES_AT_ONCE })
  }
}

/**
 * An order of Lemon Squeezy does not say whether it began a subscription: it has ended if a file
 * has a subscription of its buyer and plan that has ended.
 */
async function endOrders(db: Db, import_id: ImportId, { from, to }: LineSpan): Promise<void> {
  await db.run(sql`update import_rows r set over = 'ended' from imports i
    where i.id = ${import_id} and i.source = 'lemon_squeezy' and r.import_id = i.id
      and r.line > ${from} and r.line <= ${to} and r.over is null
      and r.external_id like 'order:%'
      and (select true from import_rows s join imports o on o.id = s.import_id
        where s.email_normalized = r.email_normalized and s.plan = r.plan and s.over = 'ended'
          and s.external_id like 'subscription:%' and s.outcome is distinct from 'skipped'
          and o.app_id = i.app_id and o.source = i.source
          and (o.id = i.id or o.status in ('importing', 'done')) limit 1) is not null`)
}

/** Decides for the buyers of these lines, each among all of their rows. */
async function markBest(db: Db, import_id: ImportId, { from, to }: LineSpan): Promise<void> {
  await db.run(sql`with buyers as materialized (
      select distinct email_normalized from import_rows
      where import_id = ${import_id} and line > ${from} and line <= ${to}),
    best as materialized (
      select b.email_normalized, w.line from buyers b left join lateral (
        select r.line from import_rows r join imports i on i.id = r.import_id
        where r.import_id = ${import_id} and r.email_normalized = b.email_normalized
          and r.over is null and i.plans ->> r.plan is not null
        order by r.ends_at desc nulls first, r.line limit 1) w on true)
    update import_rows r
    set is_best = r.line is not distinct from best.line, place = null, outcome = null
    from best where r.import_id = ${import_id} and r.email_normalized = best.email_normalized
      and r.line > ${from} and r.line <= ${to}`)
}

/** Gives the best rows among these lines, or the others, the next places; how many they are. */
async function placeRows(
  db: Db,
  import_id: ImportId,
  { from, to, is_best, place }: LineSpan & { is_best: boolean; place: number },
): Promise<number> {
  return await db.run(sql`update import_rows r set place = o.place
    from (select line, ${place}::int + row_number() over (order by line) as place
      from import_rows where import_id = ${import_id} and is_best = ${is_best}
        and line > ${from} and line <= ${to}) o
    where r.import_id = ${import_id} and r.line = o.line`)
}
