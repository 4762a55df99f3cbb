import { ConfigError } from '#platform/config'
import type { Database, Db } from '#platform/db'
import type { KeyRing } from '#platform/secrets'
import { sql } from '#platform/sql'

/** Whether money is real: `test` is the sandbox, or a test key of the processor. */
export type MoneyMode = 'test' | 'live'

interface KnownKey {
  fingerprint: string
  status: string
}

/**
 * Refuses a key ring that lacks a key which this database was written with, and a new current key
 * that the other processes do not have yet: they could not read what it writes.
 */
export async function checkSecretKeys(db: Database, now: Date, keys: KeyRing): Promise<void> {
  const ring = fingerprints(keys)
  const current = ring[0]!
  await db.tx(async (tx) => {
    await tx.raw('lock table secret_keys in share row exclusive mode')
    const fault = await keysFault(tx, keys)
    if (fault) throw fault
    await tx.run(sql`insert into secret_keys (fingerprint, status, seen_at)
      select key, case when key = ${current} then 'in_use' else 'announced' end, ${now}
      from unnest(${ring}::text[]) key
      on conflict (fingerprint) do update set status = excluded.status
        where excluded.status = 'in_use'`)
  })
}

/** Why this key ring does not fit the database; undefined if it does. */
export async function keysFault(db: Db, keys: KeyRing): Promise<ConfigError | undefined> {
  const ring = fingerprints(keys)
  const known = await db.rows<KnownKey>(sql`select fingerprint, status from secret_keys`)
  const inUse = known.filter(({ status }) => status === 'in_use')
  const present = inUse.filter(({ fingerprint }) => ring.includes(fingerprint))
  if (present.length < inUse.length) return present.length > 0 ? missingKey() : wrongKey()
  const isKnown = known.some(({ fingerprint }) => fingerprint === ring[0])
  return inUse.length > 0 && !isKnown ? unknownKey() : undefined
}

function fingerprints(keys: KeyRing): string[] {
  return keys.hmacs('installation', 'fingerprint').map((each) => each.toString('hex'))
}

function wrongKey(): ConfigError {
  return new ConfigError(
    'SECRET_KEY: this database was written with another key. Set SECRET_KEY to that key ' +
      '(where it was never set, it is in secret.key of the former DATA_DIR), or start on an ' +
      'empty database.',
  )
}

function missingKey(): ConfigError {
  return new ConfigError(
    'SECRET_KEY: this database was written with another key, too, which is not in the list. Add ' +
      'it at the end: what it sealed still needs it.',
  )
}

function unknownKey(): ConfigError {
  return new ConfigError(
    'SECRET_KEY: the first key is new to this database. Put it last (old,new), restart every ' +
      'process, then put it first (new,old) and restart again.',
  )
}

/** Whether this database contains real money; undefined before the first start that recorded it. */
export async function moneyOf(db: Db): Promise<MoneyMode | undefined> {
  return (await db.maybe<{ money: MoneyMode }>(sql`select money from installation`))?.money
}

/** Records whether this database contains real money. */
export async function setMoney(db: Db, money: MoneyMode): Promise<void> {
  await db.run(sql`insert into installation (money) values (${money})
    on conflict (id) do update set money = excluded.money`)
}

/**
 * When this database was restored from a backup, while its comparison with the processor is
 * pending.
 */
export async function restoredAt(db: Db): Promise<Date | undefined> {
  const row = await db.maybe<{ restored_at: Date | null }>(
    sql`select restored_at from installation`,
  )
  return row?.restored_at ?? undefined
}

/**
 * Notes that this database was restored; returns false for one that the service was never started
 * on, which has nothing to review.
 */
export async function markRestored(db: Db, now: Date): Promise<boolean> {
  const marked = await db.run(sql`update installation set restored_at = ${now}`)
  return marked > 0
}

/** Ends the review of a restored database; returns whether there was one. */
export async function endReview(db: Db): Promise<boolean> {
  const ended = await db.run(
    sql`update installation set restored_at = null where restored_at is not null`,
  )
  return ended > 0
}

/** Whether this database has the tables of the service, though newer ones may be missing. */
export async function isInstalled(db: Db): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(
    sql`select to_regclass('installation') is not null as found`,
  )
  return found
}

/** Throws unless this database has the tables of the service. */
export async function assertInstalled(db: Db): Promise<void> {
  if (await isInstalled(db)) return
  throw new ConfigError(
    'The database has no tables of the service: it is empty, or of another program. Correct its ' +
      'setting, or start the service, which creates them.',
  )
}

/** When this database got its first tables. */
export async function installedAt(db: Db): Promise<Date> {
  const first = sql`select applied_at as at from schema_migrations order by applied_at limit 1`
  return (await db.one<{ at: Date }>(first)).at
}
