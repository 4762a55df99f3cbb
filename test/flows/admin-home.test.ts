import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import * as identity from '#domain/identity'
import { sql } from '#platform/sql'
import { addAuthenticator, signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { disputeCharge } from '../support/disputes.ts'
import { buy } from '../support/refunds.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

let service: TestService
before(async () => {
  service = await openTestService()
  await service.listen()
})
after(() => service.close())

async function addStaff(role: identity.StaffRole): Promise<Agent> {
  const { email, agent } = await signUp(service)
  const user = (await identity.findByEmail(service.world.db, email))!
  await identity.setStaffRole(service.world.db, user.id, role)
  await addAuthenticator(service, agent)
  return agent
}

test('the home of the admin area is empty where nothing needs attention', async () => {
  const admin = await signedIn(service, service.demo.operator)
  await admin.open('/admin/')
  assert.match(admin.text, /Nothing needs attention/)
})

test('an empty page names only what the role handles', async () => {
  const seen = async (role: identity.StaffRole) => {
    const agent = await addStaff(role)
    const read = async (page: string) => {
      await agent.open(page)
      return /(Alarms, [^.]*) appear here/.exec(agent.text)?.[1]
    }
    return [await read('/admin/'), await read('/admin/cases/')]
  }
  assert.deepEqual(await seen('support'), [
    'Alarms, failed refunds, failed emails, and locked accounts',
    'Alarms, failed refunds, paused licenses, and locked accounts',
  ])
  assert.deepEqual(await seen('finance'), [
    'Alarms, disputes, failed refunds, and tax filings',
    'Alarms, disputes, and failed refunds',
  ])
})

test('the home lists what each role handles, with its count and where it is handled', async () => {
  const { db } = service.world
  const bought = await buy(service)
  await disputeCharge(service, bought.charge)
  const { user_id } = await buy(service)
  await identity.lockUser(db, service.clock.now(), user_id)
  const due = await db.one<{ due_at: Date }>(sql`select due_at from disputes`)
  const day = due.due_at.toLocaleDateString('en-US', {
    month: 'long',
    day: 'numeric',
    timeZone: 'UTC',
  })
  const linksOf = (agent: Agent) =>
    [...agent.page.body.matchAll(/href="(\/admin\/[^"]*)"[^>]*>([^<]*)</g)].map(
      ([, href, text]) => `${text} ${href}`,
    )
  const support = await addStaff('support')
  await support.open('/admin/')
  assert.ok(linksOf(support).includes('1 locked account /admin/cases/#locked'))
  assert.doesNotMatch(support.page.body, /dispute/i)
  const finance = await addStaff('finance')
  await finance.open('/admin/')
  assert.match(finance.text, new RegExp(`1 dispute without evidence The next is due ${day}`))
  assert.doesNotMatch(finance.page.body, /locked account</)
  const admin = await signedIn(service, service.demo.operator)
  await admin.open('/admin/')
  assert.match(admin.text, /1 dispute without evidence.*1 locked account/)
  await admin.press('1 locked account')
  assert.match(admin.page.body, /id="locked"/)
})

test('more failed emails than are counted are said to be more', async () => {
  const { db } = service.world
  await db.run(sql`insert into emails (id, cause, kind, subject_id, queued_at, attempts)
    select 'email_' || lpad(n::text, 22, '0'), 'test:' || n, 'receipt', 'ord_x',
      ${service.clock.now()}, 1000 from generate_series(1, 201) n`)
  const admin = await signedIn(service, service.demo.operator)
  await admin.open('/admin/')
  assert.match(admin.text, /Over 200 failed emails/)
})
