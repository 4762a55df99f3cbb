import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as payments from '#domain/payments'
import { addSeconds } from '#platform/calendar'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { CARD } from '../support/cards.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { stateOf, subscribe } from '../support/subscriber.ts'

const CHECKS = '/admin/checks/'

let service: TestService
let staff: Agent
before(async () => {
  service = await openTestService()
  staff = await signedIn(service, service.demo.operator)
})
after(() => service.close())

test('only staff can open the checks', async () => {
  const seller = await signedIn(service, service.demo.seller)
  assert.equal((await seller.open(CHECKS)).status, 404)
})

test('staff checks the ledger: it is correct, and the page lists what was checked', async () => {
  await subscribe(service)
  await staff.open('/admin/cases/')
  await staff.press('Checks')
  await staff.runTask('Check ledger')
  assert.equal(staff.page.url, CHECKS)
  assert.match(staff.text, /The ledger is correct/)
  assert.match(staff.text, /Checked .*Invoices 1\b/)
})

test('reports an entry without a cause, with the rule that it breaks', async () => {
  service.clock.pass(1)
  await service.world.db.run(sql`insert into ledger_transactions (id, at, event, subject)
    values ('txn_stray', ${service.clock.now()}, 'sale', 'inv_nothing')`)
  await staff.open(CHECKS)
  await staff.runTask('Check ledger')
  assert.match(staff.text, /Differences found/)
  assert.match(staff.text, /txn_stray|inv_nothing/)
})

test('missed events are processed once, however often they are requested', async () => {
  const subscriber = await subscribe(service, { card: CARD.fraudulent })
  assert.equal((await stateOf(service, subscriber)).status, 'active')
  await staff.open(CHECKS)
  await staff.runTask('Reprocess events')
  assert.match(staff.text, /1 processed, 0 pending/)
  assert.equal((await stateOf(service, subscriber)).status, 'paused')
  service.clock.pass(1)
  await staff.runTask('Reprocess events')
  assert.match(staff.text, /0 processed, 0 pending/)
  const { count } = await service.world.db.one<{ count: number }>(
    sql`select count(*) as count from ledger_transactions where event = 'dispute_opened'`,
  )
  assert.equal(count, 1)
})

test('events that fail for over an hour are shown to staff, who retry them at once', async () => {
  const { db } = service.world
  const { clock } = service
  const now = clock.now()
  await db.run(sql`insert into processor_events
      (id, processor, kind, payload, received_at, failures, retry_at)
    values ('evt_refused', 'stripe', 'payout.failed', '{}', ${addSeconds(now, -3601)}, 14,
        ${addSeconds(now, 300)}),
      ('evt_recent', 'stripe', 'refund.updated', '{}', ${addSeconds(now, -60)}, 5,
        ${addSeconds(now, 30)})`)
  await staff.open('/admin/')
  assert.match(staff.text, /1 processor event not handled/)
  await staff.open(CHECKS)
  assert.match(staff.text, /payout\.failed evt_refused 14 .* refund\.updated evt_recent 5/)
  await staff.runTask('Reprocess events')
  assert.match(staff.text, /0 processed, 2 pending/)
  const due = await payments.unhandled(db, clock.now(), 'stripe')
  assert.deepEqual(due.map(({ id }) => id).sort(), ['evt_recent', 'evt_refused'])
})
