import assert from 'node:assert/strict'
import { afterEach, beforeEach, describe, test } from 'node:test'
import type { Database } from '#platform/db'
import { type Jobs, openJobs } from '#platform/jobs'
import { openLog } from '#platform/log'
import { SCHEDULE_INTERVALS } from '#platform/schedules'
import { sql } from '#platform/sql'
import { openTestDatabase } from '../support/database.ts'
import { eventually } from '../support/eventually.ts'

/** Once a year, so that only a start runs it. */
const YEARLY = '0 0 1 1 *'
const EVERY_MINUTE = '* * * * *'

let db: Database
let opened: Jobs[]
beforeEach(async () => {
  db = await openTestDatabase()
  opened = []
})
afterEach(async () => {
  for (const jobs of opened) await jobs.stop()
  await db.close()
})

/** A process of the service with these schedules; not yet started. */
async function open(schedules: Record<string, [string, () => Promise<void>]>): Promise<Jobs> {
  const jobs = openJobs(db, openLog('silent'))
  for (const [name, [cron, work]] of Object.entries(schedules)) jobs.schedule(name, cron, work)
  await jobs.open()
  opened.push(jobs)
  return jobs
}

async function runsOf(name: string, cause: 'clock' | 'start') {
  return await db.rows<{ state: string; retry_count: number }>(sql`
    select state::text, retry_count from pgboss.job where name = 'schedules'
      and data ->> 'schedule' = ${name} and data ->> 'cause' = ${cause}`)
}

/** When a process last looked for what is due. */
const lastPass = async () =>
  (await db.one<{ at: string | null }>(sql`select cron_on::text as at from pgboss.version`)).at

const isDone = async (name: string, cause: 'clock' | 'start') =>
  (await runsOf(name, cause)).some(({ state }) => state === 'completed')

describe('a schedule', () => {
  test('runs once for two processes on one database', async () => {
    let runs = 0
    const work = async () => {
      runs++
    }
    const first = await open({ jars: [EVERY_MINUTE, work] })
    const second = await open({ jars: [EVERY_MINUTE, work] })
    await Promise.all([first.start(), second.start()])
    // The current minute is due, as nothing has run in it.
    await eventually('the run of this minute', () => isDone('jars', 'clock'))
    assert.equal((await runsOf('jars', 'clock')).length, 1)
    // The second start adds a job only if that of the first one has ended.
    const atStart = await runsOf('jars', 'start')
    assert.ok(atStart.length >= 1 && atStart.length <= 2, String(atStart.length))
    await eventually('all runs', async () => runs === atStart.length + 1)
  })

  test('runs after a start, whatever its period', async () => {
    let runs = 0
    const jobs = await open({
      jars: [
        YEARLY,
        async () => {
          runs++
        },
      ],
    })
    await jobs.start()
    await eventually('the run of the start', () => isDone('jars', 'start'))
    assert.equal(runs, 1)
    assert.deepEqual(await runsOf('jars', 'clock'), [])
  })

  test('runs once for what fell due while the database was away, without a start', async (t) => {
    const { cronMonitorIntervalSeconds } = SCHEDULE_INTERVALS
    t.after(() => Object.assign(SCHEDULE_INTERVALS, { cronMonitorIntervalSeconds }))
    SCHEDULE_INTERVALS.cronMonitorIntervalSeconds = 1
    const work = async () => {}
    await (await open({ jars: [YEARLY, work] })).start()
    await eventually('the run of the start', () => isDone('jars', 'start'))
    // Right after a pass, as one that runs at the same time would overwrite what follows.
    const before = await lastPass()
    await eventually('a pass', async () => (await lastPass()) !== before)
    // As after an outage that began before the new year.
    await db.tx(async (tx) => {
      await tx.run(sql`update pgboss.schedule set created_on = created_on - interval '800 days'`)
      await tx.run(sql`update pgboss.version set cron_on = cron_on - interval '400 days'`)
    })
    await eventually('the run that was missed', () => isDone('jars', 'clock'))
    assert.equal((await runsOf('jars', 'start')).length, 1)
    assert.equal((await runsOf('jars', 'clock')).length, 1)
  })

  test('never runs twice at once, in one process or in two', async () => {
    let running = 0
    let most = 0
    let end = () => {}
    const ended = new Promise<void>((resolve) => {
      end = resolve
    })
    const work = async () => {
      most = Math.max(most, ++running)
      await ended
      running--
    }
    await (await open({ jars: [YEARLY, work] })).start()
    await eventually('a run', async () => running === 1)
    // Its start finds a job that has not ended, and adds none.
    await (await open({ jars: [YEARLY, work] })).start()
    assert.equal((await runsOf('jars', 'start')).length, 1)
    end()
    await eventually('the end of the run', () => isDone('jars', 'start'))
    assert.equal(most, 1)
  })

  test('runs again if a run fails, and its history says so', async () => {
    let tries = 0
    const jobs = await open({
      jars: [
        YEARLY,
        async () => {
          if (++tries === 1) throw new Error('the first try fails')
        },
      ],
    })
    await jobs.start()
    await eventually('the retry', () => isDone('jars', 'start'))
    assert.equal(tries, 2)
    assert.deepEqual(await runsOf('jars', 'start'), [{ state: 'completed', retry_count: 1 }])
  })

  test('is gone after a start without its code', async () => {
    const work = async () => {}
    await (await open({ jars: [YEARLY, work], lids: [YEARLY, work] })).start()
    const names = async () => {
      const rows = await db.rows<{ key: string }>(sql`select key from pgboss.schedule order by key`)
      return rows.map(({ key }) => key)
    }
    assert.deepEqual(await names(), ['jars', 'lids'])
    await (await open({ lids: [YEARLY, work] })).start()
    assert.deepEqual(await names(), ['lids'])
  })

  test('of another release that is still queued ends without running anything', async () => {
    const jobs = await open({})
    await db.run(sql`insert into pgboss.job (name, data, policy, singleton_key)
      values ('schedules', '{"schedule": "jars", "cause": "clock"}', 'exclusive', 'jars')`)
    await jobs.start()
    await eventually('its end', () => isDone('jars', 'clock'))
  })
})
