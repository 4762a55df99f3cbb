import type { Db } from '#platform/db'
import { sql } from '#platform/sql'
import type { Statement } from './row-types/source.ts'

/** Tables of more rows than this are large. */
const LARGE_ROWS = 10_000

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Schema?: string
  'Index Name'?: string
  'Index Cond'?: string
  Plans?: Plan[]
}

/** The tables that have many rows, once they were analyzed. */
async function largeTables(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.rows<{ name: string }>(sql`select oid::regclass::text as name
    from pg_class where relkind = 'r' and reltuples > ${LARGE_ROWS}`)
  return new Set(rows.map(({ name }) => name))
}

/** A statement, and the large tables that it would read completely. */
export interface WholeRead {
  file: string
  line: string
  tables: string[]
}

/**
 * The statements that would read a large table completely. Each text that a statement may have is
 * planned as for any values, on a connection of its own.
 */
export async function wholeReads(db: Db, statements: Statement[]): Promise<WholeRead[]> {
  const large = await largeTables(db)
  const partial = await partialIndexes(db)
  await db.raw(`set plan_cache_mode = force_generic_plan; set jit = off`)
  const reads: WholeRead[] = []
  for (const { place, texts } of statements) {
    const found = new Set<string>()
    for (const { text } of texts) {
      const plan = await genericPlan(db, text)
      for (const table of plan ? readIn(plan, partial) : []) if (large.has(table)) found.add(table)
    }
    const [file = '', line = ''] = place.split(':')
    if (found.size > 0) reads.push({ file, line, tables: [...found].sort() })
  }
  return reads
}

/** Indexes of few rows of a table. */
async function partialIndexes(db: Db): Promise<ReadonlySet<string>> {
  const rows = await db.rows<{ name: string }>(sql`select relname as name
    from pg_class c join pg_index i on i.indexrelid = c.oid where i.indpred is not null`)
  return new Set(rows.map(({ name }) => name))
}

/** The plan for any values; undefined where PostgreSQL refuses the text. */
async function genericPlan(db: Db, text: string): Promise<Plan | undefined> {
  try {
    await db.raw(`prepare planned as ${text}`)
  } catch {
    // Two conditions may exclude each other; test/platform/row-types.test.ts reports faults.
    return undefined
  }
  const { count } = await db.one<{ count: number }>(sql`
    select coalesce(cardinality(parameter_types), 0) as count
    from pg_prepared_statements where name = 'planned'`)
  const values = count > 0 ? `(${Array(count).fill('null').join(', ')})` : ''
  const { rows } = await db.raw(`explain (verbose, format json) execute planned${values}`)
  await db.raw('deallocate planned')
  const [{ 'QUERY PLAN': answer }] = rows as [{ 'QUERY PLAN': string | [{ Plan: Plan }] }]
  const [{ Plan }] = typeof answer === 'string' ? JSON.parse(answer) : answer
  return Plan
}

/** Tables that are read in full, or over a whole index that no limit cuts. */
function readIn(plan: Plan, partial: ReadonlySet<string>, isLimited = false): string[] {
  const { 'Node Type': type, 'Relation Name': name = '', Schema = '', Plans = [] } = plan
  const isIndexed = /^Index (Only )?Scan/.test(type) && !partial.has(plan['Index Name'] ?? '')
  const isWhole =
    /^(Parallel )?Seq Scan$/.test(type) ||
    (isIndexed && plan['Index Cond'] === undefined && !isLimited)
  const own = isWhole ? [Schema === 'public' ? name : `${Schema}.${name}`] : []
  // A sort, a sum and a hash read all of their input, whatever limit is above them.
  const passes = /^(Limit|Nested Loop|LockRows|Subquery Scan|Append|Merge Append|Result)$/
  const isCut = passes.test(type) && (isLimited || type === 'Limit')
  return [...own, ...Plans.flatMap((each) => readIn(each, partial, isCut))]
}
