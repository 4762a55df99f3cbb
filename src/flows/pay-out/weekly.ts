import * as payouts from '#domain/payouts'
import { payeeTime, type World } from '#flows/world'
import type { PayeeId } from '#platform/ids'
import { restoredAt } from '#platform/installation'
import { recordPayoutRequest } from './pay.ts'
import { requestAndSettle } from './settle.ts'

/**
 * Pays every payee what was available on Monday at 00:00 UTC, once a week, however often and by
 * however many workers it is called. Returns the number of payees paid.
 */
export async function payWeekly(world: World): Promise<number> {
  // What was paid out after the backup would be paid again.
  if (await restoredAt(world.db)) return 0
  let paid = 0
  for (const owner of await payouts.dueByCalendar(world.db, world.clock.now())) {
    if (world.stopping.aborted) break
    try {
      if (await payForWeek(world, owner)) paid++
    } catch (error) {
      world.log.error({ error, owner }, 'weekly payout failed; will retry')
    }
  }
  return paid
}

async function payForWeek(world: World, owner: PayeeId): Promise<boolean> {
  const now = await payeeTime(world, owner)
  const monday = payouts.mondayOf(now)
  const account = payouts.accountOf(owner)
  const requested = await world.db.tx(
    async (tx) => {
      // While another payout waits for its answer, the week is left to a later run.
      if (await payouts.openPayoutOf(tx, { owner, account })) return undefined
      // The decision and the payout are one transaction: a worker that crashes leaves both or
      // neither.
      if (!(await payouts.claimWeek(tx, owner, monday))) return undefined
      return await recordPayoutRequest(world, tx, now, monday, { owner, account, cause: 'weekly' })
    },
    { patient: true },
  )
  if (!requested || !('payout' in requested)) return false
  await requestAndSettle(world, requested.payout)
  return true
}
