import assert from 'node:assert/strict'
import { after, before, describe, test } from 'node:test'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { addDays, isoDate } from '#platform/calendar'
import { type AppId, mintId, type SellerId, type TaskId } from '#platform/ids'
import { sql } from '#platform/sql'
import { queueTask, type TaskName } from '#platform/tasks'
import { signUp } from '../support/account.ts'
import type { Agent } from '../support/agent.ts'
import { selected } from '../support/imports.ts'
import { assertInvariantsAndClose } from '../support/invariants.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const APP = '/dashboard/apps/tidepool/'
const CLOCK = `${APP}test-clock/`
const IMPORT = `${APP}import/`

let service: TestService
let owner: Agent
let admin: Agent
let support: Agent
let other: Agent
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
  owner = await signedIn(service, service.demo.seller)
  admin = await addMember('admin')
  support = await addMember('support')
  other = (await signUp(service)).agent
})
after(() => assertInvariantsAndClose(service))

async function addMember(role: sellers.MemberRole): Promise<Agent> {
  const { db, clock } = service.world
  const { email, agent } = await signUp(service)
  const { id: user_id } = (await identity.findByEmail(db, email))!
  const { seller_id } = await db.one<{ seller_id: SellerId }>(
    sql`select seller_id from apps where slug = 'tidepool'`,
  )
  await sellers.addMember(db, clock.now(), { seller_id, user_id, role })
  return agent
}

/** Adds a task of a member that no worker takes, and returns the path of its page. */
async function waiting(
  kind: TaskName,
  request: Record<string, string>,
  email = service.demo.seller.email,
): Promise<string> {
  const { db, clock, random, jobs } = service.world
  const { id: user_id } = (await identity.findByEmail(db, email))!
  const id: TaskId = mintId(random, 'task')
  const app_id = service.demo.app.client_id as AppId
  const idle = { ...jobs, send: async () => {} }
  await queueTask(db, clock.now(), idle, { id, kind, user_id, app_id, request })
  return `/tasks/${id}/`
}

describe('an advance that another member started', () => {
  test('has its result on the clock page of every member', async () => {
    await owner.open(CLOCK)
    await owner.runTask('A day')
    for (const member of [admin, support]) {
      await member.open(CLOCK)
      const { status } = await member.press('View result')
      assert.equal(status, 200)
      assert.match(member.text, /No events/)
    }
  })

  test('shows its progress to every member, and stops for those who may advance the clock', async () => {
    const task = await waiting('clock_advance', {
      slug: 'tidepool',
      to: '2026-04-10T12:00:00.000Z',
    })
    for (const member of [admin, support]) {
      await member.open(CLOCK)
      await member.press('View progress')
      assert.equal(member.page.url, task)
      assert.equal(member.page.status, 202)
    }
    assert.doesNotMatch(support.text, /Stop/)
    assert.equal((await other.open(task)).status, 404)

    await admin.open(CLOCK)
    await admin.submit('A day')
    assert.equal(admin.page.url, task)
    await admin.submit('Stop')
    assert.match(admin.text, /The task was stopped/)
    await owner.open(CLOCK)
    assert.doesNotMatch(owner.text, /View progress/)
  })
})

describe('an import that another member started', () => {
  test('shows its progress to the members who may move data', async () => {
    const end = isoDate(addDays(service.clock.now(), 20))
    const file = `id,product_name,user_email,status,renews_at\n1,Tides,a@example.com,active,${end}`
    await owner.open(IMPORT)
    await owner.upload('Upload file', Buffer.from(file), { source: 'lemon_squeezy' })
    await owner.runTask('Read file', selected(owner.page.body))
    const { url } = owner.page
    const import_id = /imp_\w+/.exec(url)![0]
    const task = await waiting('import_check', { slug: 'tidepool', import_id })

    await admin.open(url)
    await admin.press('View progress')
    assert.equal(admin.page.url, task)
    assert.equal(admin.page.status, 202)
    for (const each of [support, other]) assert.equal((await each.open(task)).status, 404)
  })
})

// Threat 59
describe('the tasks that a member started before they were removed', () => {
  test('are no longer theirs to follow or to stop', async () => {
    const { db, clock } = service.world
    const { email, agent } = await signUp(service)
    const { id: user_id } = (await identity.findByEmail(db, email))!
    const { seller_id } = await db.one<{ seller_id: SellerId }>(
      sql`select seller_id from apps where slug = 'tidepool'`,
    )
    await sellers.addMember(db, clock.now(), { seller_id, user_id, role: 'admin' })
    const advance = await waiting('clock_advance', REQUEST, email)
    const sales = await waiting('export_sales', { slug: 'tidepool' }, email)
    for (const task of [advance, sales]) assert.equal((await agent.open(task)).status, 202)
    const stop = agent.form('Stop')
    await sellers.removeMember(db, { seller_id, user_id })
    for (const task of [advance, sales]) {
      assert.equal((await agent.open(task)).status, 404)
      const answer = await service.app.inject({
        method: 'POST',
        url: `${task}stop`,
        headers: { cookie: agent.cookie, 'content-type': 'application/x-www-form-urlencoded' },
        payload: new URLSearchParams(stop).toString(),
      })
      assert.equal(answer.statusCode, 404)
    }
    const { going } = await db.one<{ going: number }>(sql`select count(*)::int as going from tasks
      where user_id = ${user_id} and status = 'waiting'`)
    assert.equal(going, 2)
  })
})

const REQUEST = { slug: 'tidepool', to: '2026-04-10T12:00:00.000Z' }
