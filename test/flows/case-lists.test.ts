import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as ledger from '#domain/ledger'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const ALARMS = 205
const OWED = 120
const EXCESS = 70

let service: TestService
before(async () => {
  service = await openTestService()
})
after(() => service.close())

async function raiseMany(): Promise<void> {
  await service.world.db.run(sql`insert into alarms
      (id, kind, subject, message, raised_at, last_at)
    select 'alm_' || lpad(n::text, 22, '0'), 'processor_refused', 'many-' || n, 'Alarm ' || n,
      ${service.clock.now()}, ${service.clock.now()}::timestamptz - n * interval '1 minute'
    from generate_series(1, ${ALARMS}::int) n`)
}

const alarmsOn = ({ page }: Agent) => page.body.match(/name="alarm_id"/g)?.length ?? 0

test('a long list of cases has pages, and its forms return to theirs', async () => {
  await raiseMany()
  const agent = await signedIn(service, service.demo.operator)
  await agent.open('/admin/')
  assert.match(agent.text, /Over 200 open alarms/)
  await agent.open('/admin/cases/')
  assert.match(agent.text, /Alarms Request refused by the processor Alarm 1 /)
  const counts = [alarmsOn(agent)]
  while (/>\s*More\s*</.test(agent.page.body)) {
    await agent.press('More')
    counts.push(alarmsOn(agent))
  }
  assert.deepEqual(counts, [50, 50, 50, 50, 5])
  await agent.submit('Resolve', { reason: '' })
  assert.match(agent.text, /Give a reason for the audit log/)
  for (const left of [4, 3, 2, 1]) {
    await agent.submit('Resolve', { reason: 'Repaired.' })
    assert.equal(alarmsOn(agent), left)
  }
  await agent.submit('Resolve', { reason: 'Repaired.' })
  assert.match(agent.text, /Alarm resolved/)
  assert.equal(alarmsOn(agent), 50, 'an empty page gives way to the first')
  const beyond = await agent.open('/admin/cases/?list=alarms&below=x&page=2')
  assert.equal(beyond.status, 200)
})

test('the buyers who are owed refunds have pages', async () => {
  const { db, clock } = service.world
  await db.run(sql`insert into ledger_transactions (id, at, event, subject)
    select 'owed-' || n, ${clock.now()}, 'refund_failed', 'owed-' || n
    from generate_series(1, ${OWED}::int) n`)
  await db.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
    select 'usr_' || lpad(n::text, 22, '0'), n || '@owed.example', n || '@owed.example', 'signup',
      ${clock.now()} from generate_series(1, ${OWED}::int) n`)
  await db.run(sql`insert into ledger_entries
      (transaction_id, position, account, owner, amount, currency)
    select 'owed-' || n, p, case p when 1 then 'buyer_payable' else 'processor' end,
      case p when 1 then 'usr_' || lpad(n::text, 22, '0') else '' end,
      case p when 1 then -n else n end, 'usd'
    from generate_series(1, ${OWED}::int) n, generate_series(1, 2) p`)
  const last = await ledger.listOwedBuyers(db, { limit: 50, offset: 100 })
  assert.deepEqual(
    last.map(({ email, amount }) => [email, amount]),
    Array.from({ length: 20 }, (_, index) => [`${index + 101}@owed.example`, index + 101]),
  )
  const agent = await signedIn(service, service.demo.operator)
  await agent.open('/admin/')
  assert.match(agent.text, /120 buyers to repay Returned refunds of \$72\.60/)
  await agent.open('/admin/cases/?list=owed&below=100')
  assert.match(agent.text, /101@owed\.example/)
  assert.doesNotMatch(agent.text, /Alarm 1 /)
})

test('the buyers who received too much have pages', async () => {
  const { db, clock } = service.world
  const id = sql`'usr_' || lpad((n + 1000)::text, 22, '0')`
  const many = sql`generate_series(1, ${EXCESS}::int) n`
  await db.run(sql`insert into ledger_transactions (id, at, event, subject)
    select 'excess-' || n, ${clock.now()}, 'refund_reissued', 'excess-' || n from ${many}`)
  await db.run(sql`insert into users (id, email, email_normalized, created_via, created_at)
    select ${id}, n || '@excess.example', n || '@excess.example', 'signup', ${clock.now()}
    from ${many}`)
  await db.run(sql`insert into ledger_entries
      (transaction_id, position, account, owner, amount, currency)
    select 'excess-' || n, p, case p when 1 then 'buyer_payable' else 'processor' end,
      case p when 1 then ${id} else '' end, case p when 1 then n else -n end, 'usd'
    from ${many}, generate_series(1, 2) p`)
  const last = await ledger.listExcessBuyers(db, { limit: 50, offset: 50 })
  assert.deepEqual(
    last.map(({ email, amount }) => [email, amount]),
    Array.from({ length: 20 }, (_, index) => [`${index + 51}@excess.example`, index + 51]),
  )
  const agent = await signedIn(service, service.demo.operator)
  await agent.open('/admin/')
  assert.match(agent.text, /70 buyers received too much To be repaid: \$24\.85/)
  await agent.open('/admin/cases/?list=excess&below=50')
  assert.match(agent.text, /\$0\.51 51@excess\.example View/)
  assert.doesNotMatch(agent.text, / 50@excess\.example/)
})

test('approvals, paused payouts and the apps of a seller say that there are more', async () => {
  const { db } = service.world
  const many = sql`generate_series(1, 51) n`
  const { id: seller_id } = await db.one<{ id: string }>(sql`select s.id from sellers s
    join apps a on a.seller_id = s.id where a.slug = 'tidepool'`)
  const { id: user_id } = await db.one<{ id: string }>(sql`select id from users limit 1`)
  await db.run(sql`insert into sellers
      (id, legal_name, address, city, state, zip, created_at, payouts_paused_at)
    select 'sel_' || lpad(n::text, 22, '0'), 'Seller ' || n, '1 Main Street', 'Austin', 'TX',
      '78701', now(), now() from ${many}`)
  await db.run(sql`insert into apps (id, slug, seller_id, name, url, oauth_login_url, created_at)
    select 'app_' || lpad(n::text, 22, '0'), 'many-' || n, ${seller_id}, 'App ' || n,
      'https://many.example', 'https://many.example', now() from ${many}`)
  await db.run(sql`insert into approval_requests (id, app_id, requested_by, requested_at)
    select 'apr_' || lpad(n::text, 22, '0'), 'app_' || lpad(n::text, 22, '0'), ${user_id},
      ${service.clock.now()}::timestamptz + n * interval '1 minute' from ${many}`)
  const agent = await signedIn(service, service.demo.operator)
  await agent.open('/admin/approvals/')
  assert.match(agent.text, /App 50 .* The oldest 50 requests are shown/)
  assert.doesNotMatch(agent.text, /App 51/)
  await agent.open(`/admin/sellers/${seller_id}/`)
  assert.match(agent.text, /The latest 50 apps are shown/)
  await agent.open('/admin/payouts/')
  await agent.press('All sellers with paused payouts')
  assert.match(agent.text, /Older/)
})

test('an alarm that a newer release raised is shown with its message, and can be resolved', async () => {
  const { db, clock } = service.world
  await db.run(sql`insert into alarms (id, kind, subject, message, raised_at, last_at)
    values ('alm_ofanewerreleasexxxxxxx', 'not_known_yet', 'x', 'Look at the new page.',
      ${clock.now()}, ${clock.now()})`)
  const agent = await signedIn(service, service.demo.operator)
  await agent.open('/admin/cases/')
  assert.match(agent.text, /Alarm of a newer release Look at the new page\./)
  await agent.submit('Resolve', { reason: 'Resolved there.' })
  assert.match(agent.text, /Alarm resolved/)
})
