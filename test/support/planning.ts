import pg from 'pg'
import type { Database, Db } from '#platform/db'
import { Sql } from '#platform/sql'

interface Plan {
  'Node Type': string
  'Actual Rows'?: number
  'Actual Loops'?: number
  'Relation Name'?: string
  Plans?: Plan[]
}

function scannedIn(plan: Plan, tables: ReadonlySet<string>): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', Plans = [] } = plan
  const own = /^(Parallel )?Seq Scan$/.test(type) && tables.has(table) ? [table] : []
  return [...own, ...Plans.flatMap((each) => scannedIn(each, tables))]
}

/** Plans what it is asked, notes which of `tables` would be read whole, and answers nothing. */
export function planning(db: Db, tables: ReadonlySet<string>, scanned: string[]): Db {
  return answeringNothing(db, async (statement) => {
    scanned.push(...scannedIn(await planOf(db, statement), tables))
  })
}

/**
 * Runs what it is asked, notes the most rows that a step of each statement read, and answers
 * nothing.
 */
export function reading(db: Db, most: number[]): Db {
  return answeringNothing(db, async (statement) => {
    most.push(mostRows(await planOf(db, statement, 'analyze, ')))
  })
}

/** As `reading`, with the plan that a connection for lookups has for any values. */
export function readingLookups(db: Db, most: number[]): Pick<Database, 'hot'> {
  return {
    async hot({ text, values }: Sql) {
      await db.raw(`set plan_cache_mode = force_generic_plan; prepare looked_up as ${text}`)
      const call = `execute looked_up (${values.map(literal).join(', ')})`
      most.push(mostRows(await planOf(db, new Sql(call, []), 'analyze, ')))
      await db.raw('deallocate looked_up')
      return []
    },
  }
}

/** A value or an array of them as PostgreSQL reads it. */
function literal(value: unknown): string {
  if (Array.isArray(value)) return `'{${value.map((one) => JSON.stringify(textOf(one))).join()}}'`
  return pg.escapeLiteral(textOf(value))
}

function textOf(value: unknown): string {
  if (Buffer.isBuffer(value)) return `\\x${value.toString('hex')}`
  return value instanceof Date ? value.toISOString() : String(value)
}

function mostRows({ Plans = [], ...plan }: Plan): number {
  const own = (plan['Actual Rows'] ?? 0) * (plan['Actual Loops'] ?? 0)
  return Math.max(own, ...Plans.map(mostRows))
}

async function planOf(db: Db, { text, values }: Sql, how = ''): Promise<Plan> {
  const rows = await db.raw(`explain (${how}format json) ${text}`, values)
  const [{ 'QUERY PLAN': answer }] = rows.rows as [{ 'QUERY PLAN': string | [{ Plan: Plan }] }]
  const [{ Plan }] = typeof answer === 'string' ? JSON.parse(answer) : answer
  return Plan
}

function answeringNothing(db: Db, plan: (statement: Sql) => Promise<void>): Db {
  return {
    ...db,
    async rows(statement: Sql) {
      await plan(statement)
      return []
    },
    async maybe(statement: Sql) {
      await plan(statement)
      return undefined
    },
    async one(statement: Sql) {
      await plan(statement)
      return {}
    },
  } as unknown as Db
}
