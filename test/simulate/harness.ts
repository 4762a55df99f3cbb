import * as payments from '#domain/payments'
import { addDays } from '#platform/calendar'
import { type Database, type Db, isDeadlock } from '#platform/db'
import { type Log, openLog } from '#platform/log'
import { sql } from '#platform/sql'
import type { Sandbox } from '../../src/sandbox/index.ts'
import { ManualClock } from '../support/clock.ts'
import { openTestDatabase } from '../support/database.ts'
import { Killed, killableDatabase } from '../support/killable-database.ts'
import { openTestService, type TestService } from '../support/service.ts'
import { type Fault, faultyDatabase, faultyProcessor } from './code-faults.ts'
import { type NetworkFaults, withNetworkFaults } from './network-faults.ts'
import { SeededRandom } from './random.ts'

/** A service whose network, database, clock and random numbers a test controls. */
export interface Harness {
  service: TestService
  /** The database itself, without crashes or planted faults. */
  db: Database
  /** The sandbox without network faults, for actions at the processor itself. */
  sandbox: Sandbox
  clock: ManualClock
  network: NetworkFaults
  /** Logged errors that are neither crashes nor lost calls. */
  unexpected_errors: string[]
  /** The stacks of transactions that a deadlock ended; each was run again. */
  deadlocks: string[]
  /** The planted fault, if any. */
  fault: Fault | undefined
  /** Prepares a seed: no rows, the first day, and the seed's random numbers. */
  clear(seed: number): Promise<void>
  close(): Promise<void>
}

// Seeds start somewhere in the two years from here, so they cover every month's end and leap years.
const FIRST_DAY = new Date('2026-11-02T09:30:00Z')
const DAYS = 730

/** Opens a harness on a separate database. */
export async function openHarness(open = openTestDatabase): Promise<Harness> {
  const db = await open()
  const clock = new ManualClock(FIRST_DAY)
  const network: NetworkFaults = { loss_percent: 0, rng: new SeededRandom(0) }
  const unexpected_errors: string[] = []
  const deadlocks: string[] = []
  let rng = new SeededRandom(0)
  let sandbox: Sandbox | undefined
  const noted = { unexpected_errors, deadlocks }
  const harness = { db, clock, network, ...noted, fault: undefined } as unknown as Harness
  const service = await openTestService({
    db: killableDatabase(
      faultyDatabase(withoutJobs(notingDeadlocks(db, deadlocks)), () => harness.fault),
    ),
    clock,
    random: { bytes: (count) => rng.bytes(count) },
    log: listeningLog(unexpected_errors),
    processor: (opened) => {
      sandbox = opened
      return faultyProcessor(withNetworkFaults(opened, network), () => harness.fault)
    },
  })
  const empty = await emptying(db)
  return Object.assign(harness, {
    service,
    sandbox: sandbox!,
    async clear(seed: number) {
      harness.fault = undefined
      await empty()
      unexpected_errors.length = 0
      deadlocks.length = 0
      rng = new SeededRandom(seed)
      clock.reset(addDays(FIRST_DAY, rng.below(DAYS)))
      Object.assign(network, { loss_percent: 0, rng: new SeededRandom(~seed) })
    },
    close: () => service.close(),
  })
}

/** Emails stay in their table; the queue that sends them has tests of its own. */
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

/** Records each transaction that a deadlock ended: its person waited a second for nothing. */
function notingDeadlocks(db: Database, deadlocks: string[]): Database {
  return {
    ...db,
    tx: (work, options) =>
      db.tx(async (inner) => {
        try {
          return await work(inner)
        } catch (error) {
          if (isDeadlock(error)) deadlocks.push(String((error as Error).stack))
          throw error
        }
      }, options),
  }
}

/** A silent log that records errors, except for those of the simulation. */
function listeningLog(unexpected_errors: string[]): Log {
  const log = openLog('silent')
  const error = (facts: { error?: unknown }, text: string) => {
    if (!isExpected(facts.error)) unexpected_errors.push(`${text}: ${String(facts.error)}`)
  }
  return Object.assign(Object.create(log), { error })
}

/** Whether an error is a crash or a lost call caused by the simulation. */
export function isExpected(error: unknown): boolean {
  return error instanceof Killed || error instanceof payments.ProcessorUnreachable
}

// Kept between seeds: applied migrations, the setup of the queue, and the client of all agents.
const KEPT = /^public\.schema_migrations$/

const SWEEP_EVERY = 10

/** Deletes every row; the append-only guards are off only for that moment. */
async function emptying(db: Database): Promise<() => Promise<void>> {
  const tables = await db.rows<{ name: string }>(sql`
    select schemaname || '.' || tablename as name from pg_tables
    where schemaname in ('public', 'sandbox') order by 1`)
  const names = tables.map(({ name }) => name).filter((name) => !KEPT.test(name))
  const statements = names
    .map(
      (name) =>
        `delete from ${name} ${name === 'public.clients' ? 'where app_id is not null' : ''}`,
    )
    .join(';')
  let times = 0
  return async () => {
    await db.tx(async (tx: Db) => {
      await tx.raw('set local session_replication_role = replica')
      await tx.raw(statements)
    })
    if (++times % SWEEP_EVERY !== 0) return
    // Removes deleted rows and the write-ahead log.
    await db.raw('vacuum')
    if (db.engine === 'embedded') await db.raw('checkpoint')
  }
}
