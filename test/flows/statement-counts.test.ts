import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { renewDue } from '#flows/subscription'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { BUYER_EMAILS } from '../../src/surfaces/emails/buyer.ts'
import type { Agent } from '../support/agent.ts'
import { buyer, enterCard, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { countStatements, type StatementCounter } from '../support/statement-count.ts'
import { DAY, subscribe } from '../support/subscriber.ts'

let service: TestService
let counter: StatementCounter
before(async () => {
  service = await openTestService()
  counter = countStatements()
})
after(async () => {
  counter.stop()
  await service.close()
})

/** The steps of a checkout, and what each may send, the built-in processor's share included. */
const STEPS: [name: string, take: (agent: Agent) => Promise<unknown>, most: Most][] = [
  ['the buy link', (agent) => agent.open(buyLink()), { statements: 1, commits: 0 }],
  [
    'the details, up to the card page',
    (agent) => agent.submit('Continue', { email: 'counted@buyers.example', ...TEXAS }),
    { statements: 7, commits: 3 },
  ],
  ['the card, up to the totals', (agent) => enterCard(agent), { statements: 6, commits: 2 }],
  ['Pay, up to the key', (agent) => agent.submit(/^Pay /), { statements: 19, commits: 4 }],
]

interface Most {
  statements: number
  commits: number
}

function buyLink(): string {
  return `/buy/${service.demo.app.prices[0]!.public_id}/`
}

// Each statement is a round trip and each commit waits for the disk: decision 131.
test('a checkout sends no more statements than are needed', async () => {
  const agent = buyer(service)
  for (const [name, take, most] of STEPS) {
    const { statements, commits } = await counter.within(() => take(agent))
    const sent = `${statements} statements and ${commits} commits`
    const isWithin = statements <= most.statements && commits <= most.commits
    assert.ok(isWithin, `${name}: ${sent}, of ${most.statements} and ${most.commits}`)
    assert.ok(statements > 0, `${name} sent nothing that was counted`)
  }
})

test('the receipt of a purchase is written with no more statements than are needed', async () => {
  const { world } = service
  const { license_id } = await subscribe(service)
  const { invoice_id } = await world.db.one<{ invoice_id: string }>(
    sql`select invoice_id from orders where license_id = ${license_id}`,
  )
  const facts = { id: mintId(world.random, 'email'), cause: 'counted', attempts: 0, reached: [] }
  const email = { ...facts, kind: 'receipt' as const, subject_id: invoice_id, facts: {} }
  const { statements } = await counter.within(() => BUYER_EMAILS.receipt(world, email))
  assert.ok(statements > 0 && statements <= 5, `${statements} statements`)
})

test('a renewal alone sends no more statements than are needed', async () => {
  const { clock, world } = service
  for (let index = 0; index < 3; index++) await subscribe(service)
  clock.pass(31 * DAY)
  let renewals = 0
  const all = await counter.within(async () => {
    renewals = await renewDue(world)
  })
  const idle = await counter.within(() => renewDue(world))
  assert.ok(renewals >= 3, 'each was due')
  const statements = (all.statements - idle.statements) / renewals
  const commits = (all.commits - idle.commits) / renewals
  const isWithin = statements > 0 && statements <= 13 && commits <= 3
  assert.ok(isWithin, `${statements} statements and ${commits} commits`)
})
