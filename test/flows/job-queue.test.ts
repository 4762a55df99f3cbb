import assert from 'node:assert/strict'
import { randomUUID } from 'node:crypto'
import { after, before, test } from 'node:test'
import { countJobs, listJobs, listSchedules } from '#platform/job-log'
import { sql } from '#platform/sql'
import type { Agent } from '../support/agent.ts'
import { eventually } from '../support/eventually.ts'
import { planning } from '../support/planning.ts'
import { signedIn } from '../support/seller.ts'
import { openTestService, type TestService } from '../support/service.ts'

const NO_EMAIL = `email_${'0'.repeat(22)}`

let service: TestService
let staff: Agent
before(async () => {
  service = await openTestService()
  await service.listen()
  staff = await signedIn(service, service.demo.operator)
})
after(() => service.close())

/** A job of the email queue in a state; far in the future where no worker may take it. */
async function addJob(state: string, start_after = '2000-01-01'): Promise<string> {
  const id = randomUUID()
  const data = { email_id: NO_EMAIL, token: 'a-secret-of-a-person-1234' }
  await service.world.db.run(sql`insert into pgboss.job
      (id, name, data, state, output, start_after, retry_limit)
    values (${id}, 'emails', ${JSON.stringify(data)}, ${state}::pgboss.job_state,
      '{"message": "Error: 550 <ada@example.com> unknown"}', ${start_after}, 11)`)
  return id
}

async function stateOf(id: string): Promise<string | undefined> {
  const job = await service.world.db.maybe<{ state: string }>(
    sql`select state::text from pgboss.job where id = ${id}::uuid`,
  )
  return job?.state
}

async function lastAudit() {
  return await service.world.db.one<{
    action: string
    subject: string
    detail: { reason?: string }
  }>(sql`select action, subject, detail from audit_log order by id desc limit 1`)
}

test('a failed job needs attention, shows no secret, and runs again when retried', async () => {
  const id = await addJob('failed')
  await staff.open('/admin/')
  assert.match(staff.text, /1 failed job/)
  await staff.press('1 failed job')
  assert.match(staff.text, /Error: 550 <\[email\]> unknown/)
  await staff.open(`/admin/jobs/emails/${id}/`)
  assert.ok(staff.page.body.includes(NO_EMAIL))
  assert.doesNotMatch(staff.page.body, /a-secret|ada@example/)
  await staff.submit('Retry', { reason: ' ' })
  assert.match(staff.text, /Give a reason/)
  assert.equal(await stateOf(id), 'failed')
  await staff.submit('Retry', { reason: 'the mail server works again' })
  assert.match(staff.text, /queued again/)
  assert.deepEqual(await lastAudit(), {
    action: 'job.retried',
    subject: id,
    detail: { queue: 'emails', reason: 'the mail server works again' },
  })
  await eventually('its end', async () => (await stateOf(id)) === 'completed')
})

test('a waiting job is canceled, and a canceled one discarded', async () => {
  const id = await addJob('created', '2999-01-01')
  await staff.open(`/admin/jobs/emails/${id}/`)
  assert.throws(() => staff.form('Retry'))
  await staff.submit('Cancel', { reason: 'sent by hand' })
  assert.match(staff.text, /Job canceled/)
  assert.equal(await stateOf(id), 'cancelled')
  assert.equal((await lastAudit()).action, 'job.canceled')
  await staff.submit('Discard', { reason: 'sent by hand' })
  assert.equal(staff.page.url, '/admin/jobs/?done=discard')
  assert.equal(await stateOf(id), undefined)
  assert.equal((await lastAudit()).action, 'job.discarded')
})

test('a job in another state than its page shows is not changed', async () => {
  const id = await addJob('failed')
  await staff.open(`/admin/jobs/emails/${id}/`)
  await service.world.db.run(sql`update pgboss.job set state = 'active', heartbeat_seconds = null
    where id = ${id}::uuid`)
  await staff.submit('Discard', { reason: 'not needed' })
  assert.match(staff.text, /status has changed since/)
  assert.equal(await stateOf(id), 'active')
  await service.world.db.run(sql`delete from pgboss.job where id = ${id}::uuid`)
})

test('does not retry a schedule while the same job is queued', async () => {
  const { db } = service.world
  const id = randomUUID()
  await db.run(sql`insert into pgboss.job (id, name, data, state, singleton_key, policy)
    values (${id}, 'schedules', '{}', 'failed', 'twice', 'exclusive')`)
  await db.run(sql`insert into pgboss.job (name, data, state, singleton_key, policy, start_after)
    values ('schedules', '{}', 'created', 'twice', 'exclusive', '2999-01-01')`)
  await staff.open(`/admin/jobs/schedules/${id}/`)
  await staff.submit('Retry', { reason: 'try again' })
  assert.match(staff.text, /Not retried: the same job is already queued/)
  await db.run(sql`delete from pgboss.job where singleton_key = 'twice'`)
})

test('schedules show their last run and the next one', async () => {
  const { db } = service.world
  await eventually('a run of each', async () =>
    (await listSchedules(db)).every(({ state }) => state === 'completed'),
  )
  await staff.open('/admin/jobs/')
  const text = staff.text
  assert.match(text, /Delete old data Daily at 3:20 AM UTC .* Done .* 3:20\sAM UTC/)
  assert.doesNotMatch(text, /None yet/)
})

test('a job that runs a schedule is named after it, in the list and on its page', async () => {
  const { db } = service.world
  const id = randomUUID()
  await db.run(sql`insert into pgboss.job (id, name, data, state)
    values (${id}, 'schedules', '{"schedule": "close-days", "cause": "clock"}', 'failed')`)
  await staff.open('/admin/jobs/?state=failed')
  await staff.press('Close days')
  assert.equal(staff.page.url, `/admin/jobs/schedules/${id}/`)
  assert.match(staff.text, /Job: Close days/)
  await db.run(sql`delete from pgboss.job where id = ${id}::uuid`)
})

test('every job of a state is on exactly one page, those of the same moment too', async () => {
  const { db } = service.world
  await db.run(sql`insert into pgboss.job (name, data, state, created_on)
    select name, '{}', 'failed', '2026-01-01'::timestamptz + (n / 3) * interval '1 microsecond'
    from generate_series(1, 40) n, (values ('emails'), ('tasks')) q (name)`)
  const all = await listJobs(db, { state: 'failed', limit: 1000 })
  assert.ok(all.length >= 80, String(all.length))
  const paged: string[] = []
  for (let below = all[0]; below; ) {
    if (paged.length === 0) paged.push(below.id)
    const some = await listJobs(db, { state: 'failed', below, limit: 7 })
    paged.push(...some.map(({ id }) => id))
    below = some.at(-1)
  }
  assert.deepEqual(
    paged,
    all.map(({ id }) => id),
  )
  const ofTasks = await listJobs(db, { state: 'failed', queue: 'tasks', limit: 1000 })
  assert.equal(ofTasks.length, 40)
})

test('no statement of the list reads all jobs', async () => {
  const { db } = service.world
  await db.run(sql`insert into pgboss.job (name, data, state, created_on)
    select 'emails', '{}', 'completed', now() - n * interval '1 second'
    from generate_series(1, 20000) n`)
  await db.patient.raw('analyze')
  assert.equal((await countJobs(db)).completed, 1001)
  const scanned: string[] = []
  const tables = new Set(['job', 'job_common'])
  const asked = planning(db, tables, scanned)
  for (const queue of [undefined, 'emails']) {
    for (const below of [undefined, { created_us: 1, id: randomUUID() }]) {
      await listJobs(asked, { state: 'completed', queue, below, limit: 51 })
    }
  }
  await countJobs(asked)
  await listSchedules(asked)
  assert.deepEqual(scanned, [])
  await asked.rows(sql`select id from pgboss.job where data ->> 'email_id' = 'none'`)
  assert.deepEqual(scanned, ['job_common'])
})
