import * as payments from '#domain/payments'
import { addDays } from '#platform/calendar'
import type { Database, Db } from '#platform/db'
import { type Log, openLog } from '#platform/log'
import { sql } from '#platform/sql'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { ManualClock } from '../support/clock.ts'
import { openTestDatabase } from '../support/database.ts'
import { Killed, mortalDatabase } from '../support/mortal.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { Chance } from './chance.ts'
import { type Fault, faultyDatabase, faultyProcessor } from './fault.ts'
import { behindWeather, type Weather } from './weather.ts'

/** A service whose network, database, clock and chance are in a play's hands. */
export interface Stage {
  service: TestService
  /** The database itself: nothing dies there, and no fault alters what it says. */
  db: Database
  /** The sandbox without its weather: what somebody does outside, who needs no network of ours. */
  sandbox: Sandbox
  clock: ManualClock
  weather: Weather
  /** What the service's log told of errors that are neither a death nor a lost call. */
  complaints: string[]
  /** The fault that is planted, if any. */
  fault: Fault | undefined
  /** Empties the stage for a seed: no rows, the first day, and chance from the seed. */
  clear(seed: number): Promise<void>
  close(): Promise<void>
}

// From here on, somewhere in the next two years: so plays meet every end of a month, leap years too.
const FIRST_DAY = new Date('2026-11-02T09:30:00Z')
const DAYS = 730

/** Opens a stage on a database of its own. */
export async function openStage(open = openTestDatabase): Promise<Stage> {
  const db = await open()
  const clock = new ManualClock(FIRST_DAY)
  const weather: Weather = { storm: 0, chance: new Chance(0) }
  const complaints: string[] = []
  let chance = new Chance(0)
  let sandbox: Sandbox | undefined
  const stage = { db, clock, weather, complaints, fault: undefined } as unknown as Stage
  const service = await openTestService({
    db: mortalDatabase(faultyDatabase(withoutJobs(db), () => stage.fault)),
    clock,
    random: { bytes: (count) => chance.bytes(count) },
    log: listeningLog(complaints),
    processor: (opened) => {
      sandbox = opened
      return faultyProcessor(behindWeather(opened, weather), () => stage.fault)
    },
  })
  const empty = await emptying(db)
  return Object.assign(stage, {
    service,
    sandbox: sandbox!,
    async clear(seed: number) {
      stage.fault = undefined
      await empty()
      complaints.length = 0
      chance = new Chance(seed)
      clock.reset(addDays(FIRST_DAY, chance.below(DAYS)))
      Object.assign(weather, { storm: 0, chance: new Chance(~seed) })
    },
    close: () => service.close(),
  })
}

/** Emails stay in their own table: the queue that would send them has tests of its own. */
function withoutJobs(db: Database): Database {
  const unless = (raw: Db['raw']): Db['raw'] => {
    return async (text, values) =>
      /^\s*insert into pgboss/i.test(text) ? { rows: [] } : await raw(text, values)
  }
  return {
    ...db,
    raw: unless(db.raw),
    tx: (work) => db.tx((inner) => work({ ...inner, raw: unless(inner.raw) })),
  }
}

/** A silent log that remembers what went wrong, where it is not what a play made go wrong. */
function listeningLog(complaints: string[]): Log {
  const log = openLog('silent')
  const error = (facts: { error?: unknown }, words: string) => {
    if (!isMeant(facts.error)) complaints.push(`${words}: ${String(facts.error)}`)
  }
  return Object.assign(Object.create(log), { error })
}

/** Whether an error is a death or a lost call, which a play brings about itself. */
export function isMeant(error: unknown): boolean {
  return error instanceof Killed || error instanceof payments.ProcessorUnreachable
}

// What every play starts from stays: which migrations were made, and how the queue is set up.
const KEPT = /^public\.schema_migrations$/

const SWEEP_EVERY = 10

/** Deletes every row; the guards against changes of the past are off for that moment alone. */
async function emptying(db: Database): Promise<() => Promise<void>> {
  const tables = await db.rows<{ name: string }>(sql`
    select schemaname || '.' || tablename as name from pg_tables
    where schemaname in ('public', 'sandbox') order by 1`)
  const names = tables.map(({ name }) => name).filter((name) => !KEPT.test(name))
  const statements = names.map((name) => `delete from ${name}`).join(';')
  let times = 0
  return async () => {
    await db.tx(async (tx: Db) => {
      await tx.raw('set local session_replication_role = replica')
      await tx.raw(statements)
    })
    if (++times % SWEEP_EVERY !== 0) return
    // What was deleted still lies about, and so does the log of all that was written.
    await db.raw('vacuum')
    if (db.engine === 'embedded') await db.raw('checkpoint')
  }
}
