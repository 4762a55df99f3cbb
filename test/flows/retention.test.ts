import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { applyRetention } from '#flows/retention'
import { clearAlarm, raiseAlarm } from '#platform/alarms'
import { sql } from '#platform/sql'
import { assertInvariants } from '../support/invariants.ts'
import { buyer, enterCard, purchase, TEXAS } from '../support/purchase.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { DAY } from '../support/subscriber.ts'

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

const counts = () =>
  service.world.db.one<Record<string, number>>(sql`select
    (select count(*) from carts) as carts, (select count(*) from tax_quotes) as quotes,
    (select count(*) from attempts) as attempts, (select count(*) from orders) as orders,
    (select count(*) from invoices) as invoices, (select count(*) from licenses) as licenses,
    (select count(*) from ledger_transactions) as postings`)

// R16
test('carts, quotes and declined attempts are deleted after their retention, and sales are kept', async () => {
  const { demo, clock, world } = service
  await purchase(service, buyer(service), { email: 'kept@example.com' })
  const sold = await counts()
  const leaver = buyer(service)
  await leaver.open(`/buy/${demo.app.prices[0]!.public_id}/`)
  await leaver.submit('Continue', { email: 'left@example.com', ...TEXAS })
  const declined = buyer(service)
  await declined.open(`/buy/${demo.app.prices[0]!.public_id}/`)
  await declined.submit('Continue', { email: 'declined@example.com', ...TEXAS })
  await enterCard(declined, '4000000000000341')
  await declined.submit(/^Pay /)
  const all = await counts()
  assert.deepEqual([all.carts, all.attempts], [sold.carts! + 2, sold.attempts! + 1])

  clock.pass(29 * DAY)
  await applyRetention(world)
  assert.deepEqual(await counts(), all)
  clock.pass(3 * DAY)
  await applyRetention(world)
  assert.deepEqual(await counts(), { ...all, carts: all.carts! - 1, quotes: all.quotes! - 1 })
  clock.pass(400 * DAY)
  await applyRetention(world)
  assert.deepEqual(await counts(), sold)
  await assertInvariants(service)
})

// R16
test('a resolved alarm is deleted after a year, and an open one is kept', async () => {
  const { clock, world } = service
  const { db, random } = world
  const resolved = { kind: 'processor_refused', subject: 'ref_resolved' } as const
  const open = { kind: 'processor_refused', subject: 'ref_open' } as const
  for (const alarm of [resolved, open]) {
    await raiseAlarm(db, random, clock.now(), { ...alarm, message: 'Refused.' })
  }
  await clearAlarm(db, clock.now(), resolved)
  const subjects = async () =>
    (
      await db.rows<{ subject: string }>(sql`select subject from alarms
        where kind = 'processor_refused' order by subject`)
    ).map(({ subject }) => subject)
  clock.pass(364 * DAY)
  await applyRetention(world)
  assert.deepEqual(await subjects(), ['ref_open', 'ref_resolved'])
  clock.pass(2 * DAY)
  await applyRetention(world)
  assert.deepEqual(await subjects(), ['ref_open'])
})

test('tasks that a crash ended and emails that were never sent are deleted as well', async () => {
  const { clock, demo, world } = service
  const { db } = world
  const now = clock.now()
  const { id: user_id } = await db.one<{ id: string }>(sql`select id from users
    where email_normalized = ${demo.seller.email}`)
  for (const [id, status] of Object.entries({ ended: 'done', crashed: 'running' })) {
    await db.run(sql`insert into tasks (id, kind, user_id, request, status, created_at, updated_at)
      values (${id}, 'check_books', ${user_id}, '{}', ${status}, ${now}, ${now})`)
  }
  await db.run(sql`insert into emails
    (id, cause, kind, subject_id, facts, queued_at, attempts, recipients)
    values ('unsent', 'unsent', 'receipt', 'inv_none', '{}', ${now}, 12, '{lost@example.com}')`)
  const kept = async () =>
    await db.rows<{ id: string }>(sql`select id from tasks where id in ('ended', 'crashed')
      union all select id from emails where id = 'unsent'`)
  clock.pass(89 * DAY)
  await applyRetention(world)
  assert.equal((await kept()).length, 3)
  clock.pass(DAY)
  await applyRetention(world)
  assert.deepEqual(await kept(), [{ id: 'unsent' }])
  clock.pass(460 * DAY)
  await applyRetention(world)
  assert.deepEqual(await kept(), [])
})
