import assert from 'node:assert/strict'
import { after, before, test } from 'node:test'
import { setTimeout as pause } from 'node:timers/promises'
import { z } from 'zod'
import type { Database } from '#platform/db'
import { openPostgres } from '#platform/db-postgres'
import { type Jobs, openJobs } from '#platform/jobs'
import { openLog } from '#platform/log'
import { sql } from '#platform/sql'
import { createServerDatabase, openTestDatabase, SERVER_URL } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

const schema = z.object({ jar: z.string() })
const HOUR = 3600
const QUEUE = { name: 'jars', schema, retries: 2, retry_seconds: 1, parallel: 2, max_seconds: HOUR }

let db: Database
const opened: Jobs[] = []
async function openWorker(work: (data: { jar: string }) => Promise<void>): Promise<Jobs> {
  const jobs = openJobs(db, openLog('silent'))
  jobs.handle(QUEUE, work)
  await jobs.open()
  opened.push(jobs)
  return jobs
}
before(async () => {
  db = await openTestDatabase()
})
after(async () => {
  for (const jobs of opened) await jobs.stop()
  await db.close()
})

// R7
test('a job of a killed worker is retried within a minute, and a long one is not', async () => {
  const done: string[] = []
  const jobs = await openWorker(async ({ jar }) => {
    done.push(jar)
  })
  await db.tx((tx) => jobs.send(tx, QUEUE, { jar: 'lost' }))
  await db.tx((tx) => jobs.send(tx, QUEUE, { jar: 'alive' }))
  // Two workers took one each; one of them was killed and gave its last sign 25 seconds ago.
  const started = await db.run(sql`update pgboss.job set state = 'active',
    started_on = now() - interval '20 min', heartbeat_on = now() - case when data ->> 'jar' = 'lost' then interval '25 s' else '5 s' end
    where name = 'jars'`)
  assert.equal(started, 2)
  await jobs.start()
  for (let tries = 0; done.length === 0; tries++) {
    assert.ok(tries < 350, 'the job was never tried again')
    await pause(100)
  }
  assert.deepEqual(done, ['lost'])
})

test('processes a queue without waiting for the next poll after each job', async () => {
  const done: string[] = []
  const jobs = openJobs(db, openLog('silent'))
  const queue = { name: 'one-by-one', schema, retries: 2, retry_seconds: 1 }
  jobs.handle(queue, async ({ jar }) => {
    done.push(jar)
  })
  await jobs.open()
  opened.push(jobs)
  // A poll is two seconds apart: twenty of them would take longer than `eventually` waits.
  for (let jar = 0; jar < 20; jar++) await db.tx((tx) => jobs.send(tx, queue, { jar: `${jar}` }))
  await jobs.start()
  await eventually('twenty jobs', async () => done.length === 20)
})

test('a job is looked for as soon as its transaction is committed', async () => {
  const done: string[] = []
  const jobs = openJobs(db, openLog('silent'))
  const queue = { name: 'at-once', schema, retries: 2, retry_seconds: 1 }
  jobs.handle(queue, async ({ jar }) => {
    done.push(jar)
  })
  await jobs.open()
  opened.push(jobs)
  await jobs.start()
  // Each is sent after the one before is done; polls are two seconds apart.
  const began = Date.now()
  for (let jar = 0; jar < 20; jar++) {
    await db.tx((tx) => jobs.send(tx, queue, { jar: `${jar}` }, { urgent: jar % 2 === 1 }))
    while (done.length === jar) await pause(5)
  }
  assert.ok(Date.now() - began < 20_000, 'the jobs waited for polls')
})

test('a job with other data than its queue describes never reaches its work', async () => {
  const done: string[] = []
  const jobs = openJobs(db, openLog('silent'))
  const queue = { name: 'described', schema, retries: 0, retry_seconds: 1 }
  jobs.handle(queue, async ({ jar }) => {
    done.push(jar)
  })
  await jobs.open()
  opened.push(jobs)
  await db.run(sql`insert into pgboss.job (name, data)
    values ('described', '{"jug": "of another release"}'), ('described', '{"jar": "known"}')`)
  await jobs.start()
  const states = async () => {
    const rows = await db.rows<{ state: string }>(sql`select state::text from pgboss.job
      where name = 'described' order by data ->> 'jar' nulls last`)
    return rows.map(({ state }) => state).join()
  }
  await eventually('the end of both', async () => (await states()) === 'completed,failed')
  assert.deepEqual(done, ['known'])
})

test('several processes create the queue of an empty database at once', {
  skip: SERVER_URL === undefined && 'it needs a PostgreSQL server (TEST_DATABASE_URL)',
}, async (t) => {
  const log = openLog('silent')
  const { url, drop } = await createServerDatabase(SERVER_URL!)
  t.after(drop)
  for (let round = 0; round < 5; round++) {
    const processes = await Promise.all([1, 2, 3].map(() => openPostgres(url.href, log)))
    await processes[0]!.raw('drop schema if exists pgboss cascade')
    const together = processes.map((each) => openJobs(each, log))
    const outcomes = await Promise.allSettled(together.map((each) => each.open()))
    await Promise.all(together.map((each) => each.stop()))
    await Promise.all(processes.map((each) => each.close()))
    const failures = outcomes.flatMap((each) => (each.status === 'rejected' ? [each.reason] : []))
    assert.deepEqual(failures, [])
  }
})
