import type { Db } from '#platform/db'
import type { LicenseId, ProductId } from '#platform/ids'
import { fieldsOf, rowsOf, sql } from '#platform/sql'
import { type Writes, writeTogether } from '#platform/write-together'
import { recordTransition } from './history.ts'
import type { License } from './licenses.ts'
import type { LicenseStatus } from './status.ts'
import { type Beginning, mayTransition, type Trigger } from './transition.ts'

/** Why a license is paused. */
export type PausedFor = 'dispute' | 'staff' | 'buyer'

/** A license with the status that its pause interrupted. */
export interface PausableLicense extends License {
  paused_from: LicenseStatus | null
  paused_for: PausedFor | null
  /** How the license began; a continued import counts as a purchase (decision 146). */
  origin: Beginning
}

/** A transition of a license; an absent field stays as it is. */
export interface TransitionStep {
  license_id: LicenseId
  trigger: Trigger
  /** Absent for `resumed`: then the interrupted status is restored. */
  to?: LicenseStatus
  period_end?: Date | null
  product_id?: ProductId
  paused_for?: PausedFor
}

/** The columns of `PausableLicense`, of `licenses`. */
export const PAUSABLE = sql`licenses.id as license_id, licenses.app_id, licenses.user_id,
  licenses.product_id, licenses.status, licenses.period_end, licenses.canceled_at,
  licenses.key_sealed, licenses.rotated_at, licenses.paused_from, licenses.paused_for,
  licenses.origin`

/** A license with the status that its pause interrupted. */
export async function getPausable(db: Db, id: LicenseId): Promise<PausableLicense> {
  return await db.one<PausableLicense>(sql`select ${PAUSABLE} from licenses where id = ${id}`)
}

/** Licenses by their ids; one that does not exist is left out. */
export async function licensesById(db: Db, ids: readonly LicenseId[]): Promise<PausableLicense[]> {
  return await db.rows<PausableLicense>(sql`select ${PAUSABLE} from licenses
    where id = any(${[...ids]}::text[])`)
}

/** A license, with its row locked until the transaction ends. */
export async function lockLicense(db: Db, id: LicenseId): Promise<PausableLicense> {
  return await db.one<PausableLicense>(
    sql`select ${PAUSABLE} from licenses where id = ${id} for update`,
  )
}

/** Locks licenses until the transaction ends, in the order of their ids. */
export async function lockLicenses(db: Db, ids: readonly LicenseId[]): Promise<void> {
  await db.rows(sql`select id from licenses where id = any(${[...ids]}::text[])
    order by id for update`)
}

/**
 * Makes a transition of a license and records it in the history. Throws for a transition that the
 * table does not have. Returns the license as it was before.
 */
export async function transition(
  db: Db,
  now: Date,
  step: TransitionStep,
): Promise<PausableLicense> {
  const license = await lockLicense(db, step.license_id)
  await transitionLocked(db, now, license, step)
  return license
}

/** Like `transition`, for a license that the caller has locked. */
export async function transitionLocked(
  db: Writes,
  now: Date,
  license: PausableLicense,
  step: Omit<TransitionStep, 'license_id'>,
): Promise<void> {
  const { license_id, status: from } = license
  const to = step.to ?? license.paused_from
  if (to === null || !mayTransition({ trigger: step.trigger, from, to })) {
    throw new Error(`license ${license_id} cannot go from ${from} to ${to} by ${step.trigger}`)
  }
  const period_end = step.period_end === undefined ? license.period_end : step.period_end
  const row = {
    id: license_id,
    status: to,
    period_end,
    product_id: step.product_id ?? license.product_id,
    canceled_at: to === 'canceled' ? now : license.canceled_at,
    paused_from: to === 'paused' ? from : null,
    paused_for: to === 'paused' ? (step.paused_for ?? null) : null,
  }
  await writeTogether(db, (writes) => [
    writes.run(sql`update licenses set ${fieldsOf(CHANGED_TYPES)}
      from ${rowsOf([row], { id: 'text', ...CHANGED_TYPES })} where licenses.id = row.id`),
    recordTransition(writes, now, { license_id, from, to, trigger: step.trigger }),
  ])
}

const CHANGED_TYPES = {
  status: 'text',
  period_end: 'timestamptz',
  product_id: 'text',
  canceled_at: 'timestamptz',
  paused_from: 'text',
  paused_for: 'text',
} as const

/** Records the day on which a license will end; null: it continues. */
export async function setEndDay(
  db: Db,
  license: { license_id: LicenseId; canceled_at: Date | null },
): Promise<void> {
  await db.run(sql`update licenses set canceled_at = ${license.canceled_at}
    where id = ${license.license_id} and status <> 'canceled'`)
}

/** Changes the reason of a suspension; the interrupted status stays the same. */
export async function changePause(
  db: Db,
  pause: { license_id: LicenseId; paused_for: PausedFor },
): Promise<void> {
  await db.run(sql`update licenses set paused_for = ${pause.paused_for}
    where id = ${pause.license_id} and status = 'paused'`)
}

/** A license that staff suspended. */
export interface StaffSuspension {
  license_id: LicenseId
  app_name: string
  email: string
  since: Date
}

/** A page of the licenses that staff suspended, latest first. */
export async function listSuspended(
  db: Db,
  { limit, offset }: { limit: number; offset: number },
): Promise<StaffSuspension[]> {
  return await db.rows<StaffSuspension>(sql`
    select l.id as license_id, a.name as app_name, u.email,
      (select max(h.at) from license_history h
        where h.license_id = l.id and h.to_status = 'paused') as since
    from licenses l join apps a on a.id = l.app_id join users u on u.id = l.user_id
    where l.paused_for = 'staff' order by since desc, l.id limit ${limit} offset ${offset}`)
}

/**
 * Changes the status that a suspended license resumes to, after a payment or a change.
 */
export async function changeInterrupted(
  db: Writes,
  change: {
    license_id: LicenseId
    paused_from: LicenseStatus
    period_end: Date | null
    product_id: ProductId
  },
): Promise<void> {
  await db.run(sql`update licenses set paused_from = ${change.paused_from},
      period_end = ${change.period_end}, product_id = ${change.product_id}
    where id = ${change.license_id} and status = 'paused'`)
}
