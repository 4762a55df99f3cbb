import type { BuyerPaymentPart } from '#domain/ledger'
import { chargeBalances } from '#flows/excess'
import { appTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'

/**
 * Divides a payment to a buyer, in cents, among the charges of which they are owed refunds, the
 * earliest first. The payment is no more than they are owed: what they received in excess of other
 * charges reduces it.
 */
export async function partsOfPayment(
  world: World,
  tx: Db,
  { user_id, total }: { user_id: UserId; total: Cents },
): Promise<BuyerPaymentPart[]> {
  let left = total
  return (await chargeBalances(tx, user_id)).flatMap(({ charge_id, balance, clock_ahead }) => {
    const amount = cents(Math.max(0, Math.min(left, 0 - balance)))
    left = cents(left - amount)
    return amount > ZERO ? [{ charge_id, amount, at: appTime(world, { clock_ahead }) }] : []
  })
}
