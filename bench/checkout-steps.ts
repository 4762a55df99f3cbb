/**
 * What one checkout costs, by step: statements, and milliseconds of CPU of this process and of
 * PostgreSQL. Unlike a rate, these hardly depend on what else the machine does.
 */
import { existsSync, readFileSync } from 'node:fs'
import { setTimeout as sleep } from 'node:timers/promises'
import { sql } from '#platform/sql'
import type { DemoFacts } from '../src/demo/seed.ts'
import type { Service } from '../src/service.ts'
import { Agent } from '../test/support/agent.ts'
import { countStatements, type StatementCounter } from '../test/support/statement-count.ts'

const WARM_UP = 50
const MEASURED = 50

/** The cost of a step of a checkout; CPU in milliseconds. */
export interface StepCost {
  statements: number
  /** Transactions that wrote something. */
  commits: number
  service_ms: number
  postgres_ms: number
}

type Step = [name: string, run: (buyer: Agent) => Promise<unknown>]

/** Makes one purchase after another, and returns the mean cost of each step. */
export async function checkoutSteps(
  service: Service,
  demo: DemoFacts,
): Promise<Record<string, StepCost>> {
  const { world, app } = service
  const counted = countStatements()
  await world.jobs.start()
  const costs = new Map<string, StepCost>()
  for (let index = 0; index < WARM_UP + MEASURED; index++) {
    const buyer = new Agent(app, world.config.base_url, { address: `10.9.0.${index}` })
    const emails: Step = ['emails, until both are sent', () => untilSent(world)]
    for (const [name, run] of [...purchaseSteps(demo, `step${index}`), emails]) {
      const cost = await costOf(service, counted, () => run(buyer))
      if (index >= WARM_UP) add(costs, name, cost)
    }
  }
  counted.stop()
  return Object.fromEntries(costs)
}

/** The steps of the purchase of a new buyer with this name. */
export function purchaseSteps(demo: DemoFacts, name: string): Step[] {
  const details = { email: `${name}@bench.example`, country: 'US', zip: '78701' }
  const card = { number: '4242424242424242', expiry: '12/40', cvc: '123', zip: '78701' }
  return [
    ['buy link', (buyer) => buyer.open(`/buy/${demo.app.prices[0]!.public_id}/`)],
    ['details', (buyer) => buyer.submit('Continue', details)],
    ['card', (buyer) => buyer.submit('Continue', card)],
    ['payment and license', (buyer) => buyer.submit(/^Pay /)],
  ]
}

/** Waits until every queued email is sent. */
export async function untilSent({ db }: Service['world']): Promise<void> {
  const unsent = sql`select id from emails where sent_at is null limit 1`
  while ((await db.rows(unsent)).length > 0) await sleep(20)
}

async function costOf(
  service: Service,
  counted: StatementCounter,
  work: () => Promise<unknown>,
): Promise<StepCost> {
  const before = await postgresMs(service)
  const began = process.cpuUsage()
  const { statements, commits } = await counted.within(work, { background: true })
  const { user, system } = process.cpuUsage(began)
  const postgres_ms = (await postgresMs(service)) - before
  return { statements, commits, service_ms: (user + system) / 1000, postgres_ms }
}

/** The CPU time of all connections so far; zero if the kernel does not report it. */
async function postgresMs({ world }: Service): Promise<number> {
  const rows = await world.db.rows<{ pid: number }>(
    sql`select pid from pg_stat_activity where datname = current_database()`,
  )
  const files = rows.map(({ pid }) => `/proc/${pid}/schedstat`).filter((file) => existsSync(file))
  const used = files.map((file) => Number(readFileSync(file, 'utf8').split(' ')[0]))
  return used.reduce((sum, nanoseconds) => sum + nanoseconds, 0) / 1_000_000
}

function add(costs: Map<string, StepCost>, name: string, cost: StepCost): void {
  const total = costs.get(name) ?? { statements: 0, commits: 0, service_ms: 0, postgres_ms: 0 }
  costs.set(name, {
    statements: total.statements + cost.statements / MEASURED,
    commits: total.commits + cost.commits / MEASURED,
    service_ms: total.service_ms + cost.service_ms / MEASURED,
    postgres_ms: total.postgres_ms + cost.postgres_ms / MEASURED,
  })
}
