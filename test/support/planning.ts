import type { Db } from '#platform/db'
import type { Sql } from '#platform/sql'

interface Plan {
  'Node Type': string
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
  const plan = async ({ text, values }: Sql) => {
    const rows = await db.raw(`explain (format json) ${text}`, values)
    const [{ 'QUERY PLAN': answer }] = rows.rows as [{ 'QUERY PLAN': string | [{ Plan: Plan }] }]
    const [{ Plan }] = typeof answer === 'string' ? JSON.parse(answer) : answer
    scanned.push(...scannedIn(Plan, tables))
  }
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
