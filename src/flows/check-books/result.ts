import * as ledger from '#domain/ledger'
import type { World } from '#flows/world'
import { clearAlarm, raiseAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import { counted } from '#platform/text'
import type { Difference } from './report.ts'

const ALARM = { kind: 'ledger_differs', subject: 'ledger' } as const

/**
 * Records the result of a check for the monitoring. Differences raise an alarm for staff, one
 * however often they are found; a check that finds none resolves it.
 */
export async function recordResult(
  { db, clock, random }: Pick<World, 'clock' | 'random'> & { db: Db },
  { differences, is_whole }: { differences: Difference[]; is_whole: boolean },
): Promise<void> {
  const now = clock.now()
  const [first] = differences
  if (first) {
    const message =
      `The ledger check found ${counted(differences.length, 'difference')}. The first: ` +
      `${first.subject}: ${first.rule}: ${first.detail}. Check the ledger here to list them.`
    await raiseAlarm(db, random, now, { ...ALARM, message, href: '/admin/checks/' })
  } else {
    await clearAlarm(db, now, ALARM)
  }
  await ledger.recordCheck(db, { at: now, differences: differences.length, is_whole })
}
