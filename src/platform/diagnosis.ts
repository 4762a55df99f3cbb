import { z } from 'zod'
import { ConfigError } from '#platform/config'
import type { Database } from '#platform/db'
import { isInstalled, keysFault, restoredAt } from '#platform/installation'
import { pendingMigrations } from '#platform/migrate'
import { type Reach, reachOf } from '#platform/networks'
import { RELEASE } from '#platform/release'
import type { KeyRing } from '#platform/secrets'
import { sql } from '#platform/sql'

/** One line of `npm run doctor`: what was checked, the result, and what to do about it. */
export const Diagnosis = z.object({
  check: z.string(),
  level: z.enum(['ok', 'warning', 'fault']),
  text: z.string(),
  next: z.string().optional(),
})
export type Diagnosis = z.infer<typeof Diagnosis>

export const ok = (check: string, text: string): Diagnosis => ({ check, level: 'ok', text })
export const warning = (check: string, text: string, next: string): Diagnosis => ({
  check,
  level: 'warning',
  text,
  next,
})
export const fault = (check: string, text: string, next: string): Diagnosis => ({
  check,
  level: 'fault',
  text,
  next,
})

/** What a diagnosis of a database needs to know of the settings. */
export interface DiagnosisFacts {
  keys: KeyRing
  /** The time of this machine. */
  now: () => Date
  /** How many connections the processes of this node open to its server, in live and test mode. */
  connections: number
}

/** Looks at an open database; changes nothing but the row of the readiness check. */
export async function diagnoseDatabase(
  db: Database,
  { keys, now, connections }: DiagnosisFacts,
): Promise<Diagnosis[]> {
  const server = db.engine === 'postgresql'
  return [
    ...(server ? await diagnoseServer(db, connections) : [ok('database', 'embedded engine')]),
    await diagnoseMigrations(db),
    ...((await isInstalled(db))
      ? [await diagnoseWrite(db, now()), await diagnoseKeys(db, keys), await diagnoseRestore(db)]
      : await diagnoseRole(db)),
    ...(server ? [await diagnoseClock(db, now)] : []),
  ]
}

interface ServerFacts {
  is_encrypted: boolean
  /** This machine's address, as the server sees it; null through a socket of the same machine. */
  address: string | null
  version: string
  number: number
  durable: boolean
  most: number
  used: number
  trigrams: boolean
}

const OLDEST_SERVER = 150_000

async function diagnoseServer(db: Database, connections: number): Promise<Diagnosis[]> {
  const facts = await db.one<ServerFacts>(sql`select
    current_setting('server_version') as version,
    current_setting('server_version_num')::int as number,
    current_setting('fsync') = 'on' and current_setting('synchronous_commit') <> 'off' as durable,
    current_setting('max_connections')::int as most,
    (select count(*) from pg_stat_activity where application_name <> 'purser')::int as used,
    exists (select 1 from pg_available_extensions where name = 'pg_trgm') as trigrams,
    exists (select 1 from pg_stat_ssl where pid = pg_backend_pid() and ssl) as is_encrypted,
    host(inet_client_addr()) as address`)
  const { version, number, durable, most, used, trigrams } = facts
  return [
    number >= OLDEST_SERVER
      ? ok('database', `PostgreSQL ${version}`)
      : fault('database', `PostgreSQL ${version}`, 'Use PostgreSQL 15 or newer.'),
    trigrams
      ? ok('extensions', 'pg_trgm')
      : fault('extensions', 'pg_trgm is missing', 'Install the package with its contrib modules.'),
    durable
      ? ok('durability', 'a commit waits for the disk')
      : warning(
          'durability',
          'fsync or synchronous_commit is off: a crash of the server loses sales',
          'Set both to on.',
        ),
    connections + used <= most
      ? ok('connections', `${connections} for this node; the server allows ${most}`)
      : warning(
          'connections',
          `this node opens up to ${connections}, others use ${used}; the server allows ${most}`,
          'Raise max_connections, or lower WORKERS.',
        ),
    diagnoseEncryption('PostgreSQL', {
      is_encrypted: facts.is_encrypted,
      reach: facts.address === null ? 'machine' : reachOf(facts.address),
      next: 'Add ?sslmode=verify-full to DATABASE_URL.',
    }),
  ]
}

/** Whether others can read a connection on its way; on a private network the operator decides. */
export function diagnoseEncryption(
  server: string,
  { is_encrypted, reach, next }: { is_encrypted: boolean; reach: Reach; next: string },
): Diagnosis {
  if (is_encrypted) return ok('encryption', `${server}: TLS`)
  if (reach === 'machine') return ok('encryption', `${server}: no TLS, on this machine`)
  if (reach === 'private') return ok('encryption', `${server}: no TLS, on a private network`)
  return fault('encryption', `${server}: no TLS, on a public network`, next)
}

async function diagnoseMigrations(db: Database): Promise<Diagnosis> {
  try {
    const missing = await pendingMigrations(db)
    if (missing.length === 0) return ok('migrations', `all of release ${RELEASE}`)
    return warning(
      'migrations',
      `${missing.length} of release ${RELEASE} are missing`,
      'Start the service, or run `npm run migrate`.',
    )
  } catch (error) {
    if (!(error instanceof ConfigError)) throw error
    return fault('migrations', error.message, 'Run the release that migrated this database.')
  }
}

/** A database without tables: whether its role may create them. */
async function diagnoseRole(db: Database): Promise<Diagnosis[]> {
  const { role, name, may_create } = await db.one<{
    role: string
    name: string
    may_create: boolean | null
  }>(sql`select current_user::text as role, current_database()::text as name,
    has_schema_privilege(current_schema(), 'create') as may_create`)
  if (may_create) return []
  const next = `As an administrator of the server: alter database "${name}" owner to "${role}".`
  return [fault('writing', `the role ${role} may not create tables in ${name}`, next)]
}

async function diagnoseWrite(db: Database, now: Date): Promise<Diagnosis> {
  try {
    await db.probe(sql`insert into health_probe (at) values (${now})
      on conflict (id) do update set at = excluded.at`)
    return ok('writing', 'the database accepts writes')
  } catch (error) {
    const next = 'A standby or a full disk is read-only: use the primary, or free some space.'
    return fault('writing', reason(error), next)
  }
}

async function diagnoseKeys(db: Database, keys: KeyRing): Promise<Diagnosis> {
  const wrong = await keysFault(db, keys)
  if (!wrong) return ok('keys', 'SECRET_KEY fits the database')
  return fault('keys', wrong.message, 'See "Rotate SECRET_KEY" in README.md.')
}

/** A restore under review stops work without an error. */
async function diagnoseRestore(db: Database): Promise<Diagnosis> {
  const at = await restoredAt(db)
  if (!at) return ok('restore', 'no restore is under review')
  return warning(
    'restore',
    `restored at ${at.toISOString()}: nothing renews on schedule or is paid out during the review`,
    'See "After a restore" in docs/operate/backups.md, then run `npm run restore -- --end-review`.',
  )
}

async function diagnoseClock(db: Database, now: () => Date): Promise<Diagnosis> {
  const before = now()
  const { at } = await db.one<{ at: Date }>(sql`select clock_timestamp() as at`)
  return compareClocks('the database server', at, [before, now()])
}

const CLOCK_WARNING_MS = 2_000
const CLOCK_FAULT_MS = 30_000

/** Compares what a server answered with the time of this machine before and after the request. */
export function compareClocks(server: string, at: Date, [before, after]: [Date, Date]): Diagnosis {
  const apart = Math.abs(at.getTime() - (before.getTime() + after.getTime()) / 2)
  const text = `${(apart / 1000).toFixed(1)} s apart from ${server}`
  if (apart < CLOCK_WARNING_MS) return ok('clock', text)
  const next = 'Synchronize the clocks of both machines (NTP).'
  return apart < CLOCK_FAULT_MS ? warning('clock', text, next) : fault('clock', text, next)
}

const NO_SPACE_LEFT = 51

/** Whether the disk of an embedded database is full: its engine throws what is no Error. */
export function isDiskFull(error: unknown): boolean {
  const { message, errno } = error as NodeJS.ErrnoException
  return !message && errno === NO_SPACE_LEFT
}

/** An error as one line; never a URL with a password. */
export function reason(error: unknown): string {
  if (isDiskFull(error)) return 'the disk is full'
  const { message, code } = error as NodeJS.ErrnoException
  const first = (message || code || String(error)).split('\n', 1)[0]!
  return first.replace(/\/\/[^@/\s]*@/g, '//…@')
}
