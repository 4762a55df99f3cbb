import type { Database } from '#platform/db'
import { sql } from '#platform/sql'
import { type Catalog, columnsOf } from './nullable.ts'
import { parseTree, type TreeNode } from './query-tree.ts'
import type { Alternative } from './texts.ts'

/** A column of a statement's result. */
export interface Column {
  name: string
  /** The type's name, as `format_type` spells it. */
  type: string
  null: boolean
  /** The only values that a check constraint allows; undefined if there is none. */
  values: string[] | undefined
  /** Whether it is a column of a table, and not computed. */
  is_stored: boolean
}

// Functions that return null although none of their arguments is null.
const PARTIAL = [
  ...['json_object_field', 'json_object_field_text', 'jsonb_object_field', 'jsonb_array_element'],
  ...['jsonb_object_field_text', 'json_array_element', 'json_array_element_text'],
  ...['jsonb_array_element_text', 'json_extract_path', 'json_extract_path_text'],
  ...[
    'jsonb_extract_path',
    'jsonb_extract_path_text',
    'to_regclass',
    'array_length',
    'array_upper',
  ],
  ...['array_position', 'regexp_match', 'regexp_substr'],
]
// Functions that take a null, and return none for arguments that are not null.
const TOLERANT = [
  ...['concat', 'concat_ws', 'format', 'json_build_object', 'jsonb_build_object'],
  ...['json_build_array', 'jsonb_build_array', 'array_append', 'array_cat', 'array_prepend'],
]

/**
 * Describes statements on a migrated database without running them: the result columns, or nothing
 * if only validity is checked. Throws PostgreSQL's error for an invalid statement.
 */
export async function openDescriber(db: Database) {
  const catalog = await readCatalog(db)
  const values = await readValues(db)
  const stored = await readStored(db)
  return async ({ text, nullable }: Alternative, withColumns: boolean): Promise<Column[]> => {
    if (!withColumns) {
      await db.raw(`prepare described as ${text}; deallocate described`)
      return []
    }
    await db.raw(`prepare described as ${text}`)
    const { parameters, results } = await db.one<{ parameters: string[]; results: string[] }>(sql`
      select parameter_types::text[] as parameters,
        coalesce(result_types::text[], '{}') as results
      from pg_prepared_statements where name = 'described'`)
    // The query tree is available as the body of a function.
    await db.raw(`deallocate described;
      create function described(${parameters}) returns setof record language sql
      begin atomic ${text}; end`)
    const { body } = await db.one<{ body: string }>(sql`select prosqlbody::text as body
      from pg_proc where proname = 'described'`)
    await db.raw(`drop function described(${parameters})`)
    const [[query]] = parseTree(body) as [[TreeNode]]
    const known = { ...catalog, mayBeNull: (parameter: string) => nullable.has(parameter) }
    return columnsOf(query, known).map((column, index) => ({
      ...column,
      type: results[index]!,
      values: values.get(column.origin),
      is_stored: stored.has(column.origin),
    }))
  }
}

async function readCatalog(db: Database): Promise<Omit<Catalog, 'mayBeNull'>> {
  const nullable = await db.rows<{ key: string }>(sql`select attrelid || '.' || attnum as key
    from pg_attribute where attnum > 0 and not attnotnull`)
  const functions = await db.rows<{ id: string; name: string; strict: boolean }>(
    sql`select oid::text as id, proname as name, proisstrict as strict from pg_proc`,
  )
  const views = await db.rows<{ id: string; body: string }>(sql`
    select r.ev_class::text as id, r.ev_action::text as body
    from pg_rewrite r join pg_class c on c.oid = r.ev_class
    where c.relkind = 'v' and c.relnamespace <> 'pg_catalog'::regnamespace
      and c.relnamespace <> 'information_schema'::regnamespace`)
  const queries = new Map(views.map(({ id, body }) => [id, (parseTree(body) as [TreeNode])[0]]))
  const columns = new Set(nullable.map(({ key }) => key))
  const total = functions.filter(({ name, strict }) =>
    strict ? !PARTIAL.includes(name) : TOLERANT.includes(name),
  )
  const totals = new Set(total.map(({ id }) => id))
  const counts = functions.filter(({ name }) => name === 'count' || name === 'row_number')
  const counters = new Set(counts.map(({ id }) => id))
  return {
    viewOf: (oid) => queries.get(oid),
    isNullable: (column) => columns.has(column),
    isTotal: (oid) => totals.has(oid),
    isCount: (oid) => counters.has(oid),
  }
}

/** The values of columns with a check: `status in ('open', 'paid')` or `currency = 'usd'`. */
async function readValues(db: Database): Promise<Map<string, string[]>> {
  const checks = await db.rows<{ key: string; rule: string }>(sql`
    select conrelid || '.' || conkey[1] as key, pg_get_constraintdef(oid) as rule
    from pg_constraint where contype = 'c' and cardinality(conkey) = 1`)
  const closed = checks.filter(({ rule }) =>
    /^CHECK \(\(\w+ = (ANY \(ARRAY\[[^\]]*\]\)|'[^']*'::text)\)\)$/.test(rule),
  )
  return new Map(
    closed.map(({ key, rule }) => [
      key,
      [...rule.matchAll(/'([^']*)'/g)].map(([, value]) => value!),
    ]),
  )
}

async function readStored(db: Database): Promise<Set<string>> {
  const rows = await db.rows<{ key: string }>(sql`select attrelid || '.' || attnum as key
    from pg_attribute a join pg_class c on c.oid = a.attrelid where attnum > 0 and relkind = 'r'`)
  return new Set(rows.map(({ key }) => key))
}
