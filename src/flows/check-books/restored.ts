import { formatMoney } from '#design/money'
import type { Unrecognized } from '#domain/payments'
import type { World } from '#flows/world'
import { raiseAlarm } from '#platform/alarms'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { endReview, restoredAt } from '#platform/installation'
import { sql } from '#platform/sql'

const DAY_SECONDS = 86_400
const MAX_ALARMS = 200

/**
 * After a restore: looks for charges, refunds and payouts at the processor that this database never
 * requested, because they were made after the backup, and raises an alarm for each. Until there is
 * none, or an operator ends the review, nothing renews and nothing is paid out: a period that was
 * charged after the backup would be charged again. Returns how many there are, or undefined if no
 * restore is under review.
 */
export async function reviewRestored(world: World): Promise<number | undefined> {
  const { db, clock, random, log, processor } = world
  if (!(await restoredAt(db))) return undefined
  const from = await lastKnown(db)
  let found = 0
  for await (const each of processor.unrecognized(from, addSeconds(clock.now(), DAY_SECONDS))) {
    found++
    if (found > MAX_ALARMS) continue
    const alarm = { kind: 'restored_unknown', subject: each.id, message: messageOf(each) } as const
    await raiseAlarm(db, random, clock.now(), alarm)
  }
  if (found === 0) {
    await endReview(db)
    log.info('the restored database agrees with the processor; renewals and payouts resume')
  } else {
    log.warn({ found }, 'the processor has records from after the backup; nothing renews')
  }
  return found
}

/** A day before the last charge in the database: what it does not know is later. */
async function lastKnown(db: Db): Promise<Date> {
  const { at } = await db.one<{ at: Date | null }>(sql`select max(created_at) as at from charges`)
  return at ? addSeconds(at, -DAY_SECONDS) : new Date(0)
}

function messageOf({ kind, id, at, amount }: Unrecognized): string {
  return (
    `The ${kind} ${id} of ${formatMoney(amount)} was made on ${at.toISOString()}, after the ` +
    'backup that this database was restored from. Renewals and payouts wait. Follow ' +
    '"After a restore" in docs/operate/backups.md.'
  )
}
