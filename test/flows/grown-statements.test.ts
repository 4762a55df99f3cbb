import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as tax from '#domain/tax'
import type { Db } from '#platform/db'
import { type Sql, sql } from '#platform/sql'
import { seedGrowth } from '../../bench/growth-seed.ts'
import { grownStatements } from '../../bench/growth-statements.ts'
import { openTestService, type TestService } from '../support/service.ts'

const BIG = ['invoices', 'licenses', 'ledger_entries', 'ledger_transactions', 'attempts']
const TABLES = new Set([...BIG, 'subscriptions', 'orders', 'license_history', 'tax_quotes'])
const NOW = new Date('2026-11-22T12:00:00Z')

let service: TestService
before(async () => {
  service = await openTestService()
  const { world, demo } = service
  const size = { sales: 20_000, big_app: 6_000 }
  await world.db.tx((tx) => seedGrowth(tx, demo.app.client_id, size), { patient: true })
  while ((await tax.sumTaxes(world.db.patient, 5_000)) > 0);
  await world.db.patient.raw('analyze')
})
after(() => service.close())

interface Plan {
  'Node Type': string
  'Relation Name'?: string
  Plans?: Plan[]
}

function scannedIn(plan: Plan): string[] {
  const { 'Node Type': type, 'Relation Name': table = '', Plans = [] } = plan
  const own = /^(Parallel )?Seq Scan$/.test(type) && TABLES.has(table) ? [table] : []
  return [...own, ...Plans.flatMap(scannedIn)]
}

/** Plans what it is asked, notes which large tables would be read whole, and answers nothing. */
function planning(db: Db, scanned: string[]): Db {
  const plan = async ({ text, values }: Sql) => {
    const rows = await db.raw(`explain (format json) ${text}`, values)
    const [{ 'QUERY PLAN': told }] = rows.rows as [{ 'QUERY PLAN': string | [{ Plan: Plan }] }]
    const [{ Plan }] = typeof told === 'string' ? JSON.parse(told) : told
    scanned.push(...scannedIn(Plan))
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

/** An export alone counts all sales of an app, in the background. */
const MAY_READ_ALL = 'R14 count of sales'

// R3, R4, R14: what they cost is measured by bench/growth.ts
describe('no large table is read whole', () => {
  test('by any statement of a page, a checkout or periodic work', async () => {
    const scanned: string[] = []
    const found: Record<string, string[]> = {}
    for (const [what, ask] of grownStatements(planning(service.world.db, scanned), NOW)) {
      await ask()
      const tables = scanned.splice(0)
      if (tables.length > 0 && what !== MAY_READ_ALL) found[what] = tables
    }
    assert.deepEqual(found, {})
  })

  test('without being noticed here', async () => {
    const scanned: string[] = []
    await planning(service.world.db, scanned).rows(
      sql`select id from licenses where period_end < now()`,
    )
    assert.deepEqual(scanned, ['licenses'])
  })
})
