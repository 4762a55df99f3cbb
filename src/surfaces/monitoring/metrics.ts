import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { oldestUnsent } from '#platform/email-queue'
import { installedAt } from '#platform/installation'
import { sql } from '#platform/sql'
import type { MetricSource, MetricSpec, Reading } from '#platform/telemetry/observer'

/** More than this is not counted one by one. */
const MAX_COUNTED = 10_000
const PAYOUT_DAYS = 7

/** What `/metrics` reports of a world; docs/operate/monitoring.md documents each. */
const METRICS: readonly MetricSpec[] = [
  { name: 'purser_ready', help: '1 if the process can serve: the database takes writes; else 0.' },
  { name: 'purser_db_connections_in_use', help: 'Pooled connections to the database in use.' },
  { name: 'purser_db_connections_waiting', help: 'Requests that wait for a pooled connection.' },
  { name: 'purser_jobs', help: 'Jobs that wait, run or failed for good, by state.' },
  { name: 'purser_emails_unsent', help: 'Emails that are not sent yet.' },
  { name: 'purser_email_oldest_unsent_seconds', help: 'Age of the oldest email that is retried.' },
  { name: 'purser_payment_attempts_open', help: 'Attempts without an answer of the processor.' },
  { name: 'purser_payment_attempt_oldest_seconds', help: 'Age of the oldest of these attempts.' },
  { name: 'purser_processor_events_open', help: 'Events of the processor not handled yet.' },
  { name: 'purser_processor_event_oldest_seconds', help: 'Age of the oldest of these events.' },
  { name: 'purser_renewals_due', help: 'Subscriptions whose renewal or retry is due.' },
  { name: 'purser_renewal_lag_seconds', help: 'How late the longest due of them is.' },
  { name: 'purser_payouts_failed', help: 'Payouts of the last seven days that failed.' },
  { name: 'purser_alarms_open', help: 'Open alarms for staff, by kind.' },
  { name: 'purser_ledger_check_differences', help: 'Differences that the last check found.' },
  { name: 'purser_ledger_check_age_seconds', help: 'Age of the last check of the ledger.' },
]

/** The metrics of a world, from its process and from its database. */
export function worldMetrics({ db, clock, readiness }: World): MetricSource {
  return {
    specs: METRICS,
    async now() {
      const uses = db.connections().flatMap(({ pool, in_use, waiting }) => [
        { name: 'purser_db_connections_in_use', value: in_use, labels: { pool } },
        { name: 'purser_db_connections_waiting', value: waiting, labels: { pool } },
      ])
      return [{ name: 'purser_ready', value: (await readiness.check()) ? 1 : 0 }, ...uses]
    },
    stored: () => readStored(db.monitor, clock.now()),
  }
}

/** The metrics that are read from the database, each by a statement with an index. */
export async function readStored(db: Db, now: Date): Promise<Reading[]> {
  const readings: Reading[] = []
  // One after the other, as they share a connection.
  for (const read of STORED) readings.push(...(await read(db, now)))
  return readings
}

const STORED: ((db: Db, now: Date) => Promise<Reading[]>)[] = [
  jobs,
  emails,
  attempts,
  processorEvents,
  renewals,
  failedPayouts,
  openAlarms,
  ledgerCheck,
]

interface Waiting {
  count: number
  oldest: Date | null
}

/** The queue's own words for the states of jobs that matter here, and ours. */
const STATES: Record<string, string> = {
  created: 'queued',
  retry: 'retried',
  active: 'running',
  failed: 'failed',
}

async function jobs(db: Db): Promise<Reading[]> {
  const rows = await db.rows<{ state: string; count: number }>(sql`select s.state, (
      select count(*) from (select 1 from pgboss.job j
        where j.state = s.state::pgboss.job_state and j.name not like '\\_\\_pgboss%'
        order by j.name, j.created_on limit ${MAX_COUNTED}) few) as count
    from unnest(${Object.keys(STATES)}::text[]) s (state)`)
  return rows.map(({ state, count }) => ({
    name: 'purser_jobs',
    value: count,
    labels: { state: STATES[state]! },
  }))
}

/** An email whose retries are used up no longer counts for the age: staff see it. */
async function emails(db: Db, now: Date): Promise<Reading[]> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count
    from (select 1 from emails where sent_at is null limit ${MAX_COUNTED}) few`)
  const oldest = await oldestUnsent(db, now)
  return [
    { name: 'purser_emails_unsent', value: count },
    { name: 'purser_email_oldest_unsent_seconds', value: ageOf(now, oldest) },
  ]
}

async function attempts(db: Db, now: Date): Promise<Reading[]> {
  const { count, oldest } = await db.one<Waiting>(sql`select count(*) as count,
      min(created_at) as oldest
    from attempts where status = 'open'`)
  return [
    { name: 'purser_payment_attempts_open', value: count },
    { name: 'purser_payment_attempt_oldest_seconds', value: ageOf(now, oldest) },
  ]
}

async function processorEvents(db: Db, now: Date): Promise<Reading[]> {
  const { count, oldest } = await db.one<Waiting>(sql`select
      (select count(*) from (select 1 from processor_events where handled_at is null
        limit ${MAX_COUNTED}) few) as count,
      (select min(received_at) from processor_events where handled_at is null) as oldest`)
  return [
    { name: 'purser_processor_events_open', value: count },
    { name: 'purser_processor_event_oldest_seconds', value: ageOf(now, oldest) },
  ]
}

/** By the service's time: what is due by an app's test clock is not late. */
async function renewals(db: Db, now: Date): Promise<Reading[]> {
  const { count, oldest } = await db.one<Waiting>(sql`select
      (select count(*) from (select 1 from subscriptions where next_at <= ${now}
        limit ${MAX_COUNTED}) few) as count,
      (select min(next_at) from subscriptions where next_at <= ${now}) as oldest`)
  return [
    { name: 'purser_renewals_due', value: count },
    { name: 'purser_renewal_lag_seconds', value: ageOf(now, oldest) },
  ]
}

async function failedPayouts(db: Db, now: Date): Promise<Reading[]> {
  const { count } = await db.one<{ count: number }>(sql`select count(*) as count from (
      select settled_at from payouts where status = 'failed'
      order by number desc limit 1000) latest
    where settled_at > ${now}::timestamptz - ${PAYOUT_DAYS} * interval '1 day'`)
  return [{ name: 'purser_payouts_failed', value: count }]
}

async function openAlarms(db: Db): Promise<Reading[]> {
  const rows = await db.rows<{ kind: string; count: number }>(sql`select kind, count(*) as count
    from alarms where resolved_at is null group by kind`)
  // Without an open alarm there is a value too, so that a rule can tell it from a failed read.
  const none = { name: 'purser_alarms_open', value: 0, labels: { kind: 'any' } }
  const open = rows.map(({ kind, count }) => ({
    name: 'purser_alarms_open',
    value: count,
    labels: { kind },
  }))
  return open.length === 0 ? [none] : open
}

async function ledgerCheck(db: Db, now: Date): Promise<Reading[]> {
  const last = await db.maybe<{ at: Date; differences: number }>(
    sql`select at, differences from ledger_checks`,
  )
  const age = {
    name: 'purser_ledger_check_age_seconds',
    // The first night of an installation has not come yet: nothing is late.
    value: ageOf(now, last?.at ?? (await installedAt(db))),
  }
  return last ? [{ name: 'purser_ledger_check_differences', value: last.differences }, age] : [age]
}

/** Seconds since a time; 0 for none. */
function ageOf(now: Date, since: Date | null): number {
  return since ? Math.max(0, (now.getTime() - since.getTime()) / 1000) : 0
}
