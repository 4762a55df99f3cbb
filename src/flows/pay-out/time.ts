import * as payouts from '#domain/payouts'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import type { PayeeId } from '#platform/ids'

/**
 * The current time for a payee: that of the test clock furthest ahead among a seller's own apps, or
 * among the apps that an affiliate earned on. Without test clocks it is the service's time.
 */
export async function payeeTime(
  { db, clock }: Pick<World, 'db' | 'clock'>,
  owner: PayeeId,
): Promise<Date> {
  return addSeconds(clock.now(), await payouts.clockAheadOf(db, owner))
}
