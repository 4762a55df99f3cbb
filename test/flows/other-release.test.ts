import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { EMAIL_QUEUE } from '#platform/email-queue'
import { mintId } from '#platform/ids'
import { sql } from '#platform/sql'
import { TASKS } from '#platform/tasks'
import { openAlarms } from '../support/alarms.ts'
import { eventually } from '../support/eventually.ts'
import { openTestService, type TestService } from '../support/service.ts'

// What another release queued, and this one finds: point 4 of issue 10.

let service: TestService
before(async () => {
  service = await openTestService()
  await service.world.jobs.start()
})
after(() => service.close())

/** An email as another release stored it, whose job is tried once by now. */
async function queued(kind: string, facts: object) {
  const { db, random, clock, jobs } = service.world
  const id = mintId(random, 'email')
  const { user_id } = await db.one<{ user_id: string }>(
    sql`select id as user_id from users where email = ${service.demo.buyer.email}`,
  )
  await db.run(sql`insert into emails (id, cause, kind, subject_id, facts, queued_at)
    values (${id}, ${id}, ${kind}, ${user_id}, ${JSON.stringify(facts)}, ${clock.now()})`)
  await db.tx((tx) => jobs.send(tx, EMAIL_QUEUE, { email_id: id }))
  return id
}

const alarmOf = async (subject: string) =>
  (await openAlarms(service.world.db)).find((alarm) => alarm.subject === subject)

const isSent = (id: string) =>
  service.world.db.maybe(sql`select 1 from emails where id = ${id} and sent_at is not null`)

const UNKNOWN: [name: string, kind: string, facts: object][] = [
  ['of an unknown template', 'newsletter', {}],
  ['with unknown facts', 'security', { what: 'moon_phase_changed' }],
]
for (const [name, kind, facts] of UNKNOWN) {
  test(`an email ${name} raises an alarm, and is sent by a release that knows it`, async () => {
    const { db, jobs } = service.world
    const id = await queued(kind, facts)
    const alarm = await eventually('the alarm', () => alarmOf(id))
    assert.equal(alarm.kind, 'email_unwritten')
    assert.match(alarm.message, new RegExp(`no template ${kind} with its facts`))
    assert.equal(await isSent(id), undefined)
    // Its job waits for a retry.
    await eventually('the failed try', async () =>
      db.maybe(sql`select 1 from pgboss.job where data ->> 'email_id' = ${id} and state = 'retry'`),
    )
    await db.run(sql`update emails set kind = 'security',
      facts = '{"what": "password_changed"}' where id = ${id}`)
    await db.tx((tx) => jobs.send(tx, EMAIL_QUEUE, { email_id: id }))
    await eventually('the email', () => isSent(id))
    await eventually('the end of the alarm', async () => !(await alarmOf(id)))
  })
}

test('a task of an unknown kind fails, and says why', async () => {
  const { db, random, clock, jobs } = service.world
  const id = mintId(random, 'task')
  await db.run(sql`insert into tasks (id, kind, user_id, request, status, created_at, updated_at)
    select ${id}, 'paint_fence', id, '{}', 'waiting', ${clock.now()}, ${clock.now()} from users
    where email = ${service.demo.buyer.email}`)
  await db.tx((tx) => jobs.send(tx, TASKS, { task_id: id }))
  const ended = await eventually('its end', () =>
    db.maybe<{ message: string }>(sql`select result ->> 'message' as message from tasks
      where id = ${id} and status = 'failed'`),
  )
  assert.match(ended.message, /does not exist in the current version/)
})
