import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'

/**
 * What time it is for a payee: that of the app whose clock is furthest ahead among a seller's own,
 * or among those that an affiliate earned on. Without test clocks it is the service's.
 */
export async function payeeTime(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  owner: string,
): Promise<Date> {
  return addSeconds(clock.now(), await payouts.clockAheadOf(db, owner))
}
