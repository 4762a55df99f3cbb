import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { payeeTime, type World } from '#flows/world'
import type { Db } from '#platform/db'
import type { AppId, PayeeId, UserId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'

/** What the seller that an account owns still has. */
export type SellerObstacle = 'apps' | 'purchases' | 'subscriptions' | 'members'

/** Money of a payee that is not paid out, in cents; negative if the payee owes it. */
export interface UnpaidBalance {
  payee: payouts.Payee
  total: Cents
  pending_total: Cents
  /** Whether a payout is on its way to the bank. */
  is_paying: boolean
}

/** Why an account cannot be deleted yet. */
export type DeletionBlock =
  | { kind: 'subscription'; app_id: AppId; app_name: string }
  | { kind: 'seller'; seller_name: string; has: SellerObstacle }
  | { kind: 'balance'; seller_name?: string; balance: UnpaidBalance }
  | { kind: 'refund'; owed: Cents }
  | { kind: 'dispute' | 'payment' | 'staff' }

/** Everything that must be settled before an account can be deleted. */
export async function deletionBlocks(
  world: World,
  user_id: UserId,
  db: Db = world.db,
): Promise<DeletionBlock[]> {
  const user = await identity.getUser(db, user_id)
  const blocks: DeletionBlock[] = []
  if (user.staff_role !== null) blocks.push({ kind: 'staff' })
  for (const { app_id, name } of await billing.chargingApps(db, user_id)) {
    blocks.push({ kind: 'subscription', app_id, app_name: name })
  }
  const isPaying = await payments.isPaymentPendingForEmail(db, [user.email_normalized])
  if (isPaying) blocks.push({ kind: 'payment' })
  if (await payments.isDisputing(db, user_id)) blocks.push({ kind: 'dispute' })
  const owed = cents(0 - (await ledger.balanceOf(db, 'buyer_payable', user_id)))
  if (owed > 0) blocks.push({ kind: 'refund', owed })
  const affiliate = await affiliates.affiliateOf(db, user_id)
  const commission = affiliate && (await unpaidBalance(world, db, affiliate.id))
  if (commission) blocks.push({ kind: 'balance', balance: commission })
  for (const { seller_id, legal_name: seller_name, role } of await sellers.membershipsOf(
    db,
    user_id,
  )) {
    if (role !== 'owner') continue
    const block = (has: SellerObstacle) => blocks.push({ kind: 'seller', seller_name, has })
    if (await apps.hasPublished(db, seller_id)) block('apps')
    // Before what it may become: a subscription, and a balance.
    if (await payments.isPaymentPendingForSeller(db, seller_id)) block('purchases')
    if (await billing.isAnyRunning(db, seller_id)) block('subscriptions')
    const earnings = await unpaidBalance(world, db, seller_id)
    if (earnings) blocks.push({ kind: 'balance', seller_name, balance: earnings })
    if ((await sellers.membersOf(db, seller_id)).length > 1) block('members')
  }
  return blocks
}

/** What is not paid out to a payee yet, if anything, by the payee's own clock in test mode. */
async function unpaidBalance(
  { clock }: World,
  db: Db,
  owner: PayeeId,
): Promise<UnpaidBalance | undefined> {
  const payee = { owner, account: payouts.accountOf(owner) }
  const now = await payeeTime({ db, clock }, owner)
  // In this order: a payout that fails in between is in the balance that is read then.
  const is_paying = await payouts.isPaying(db, payee)
  const { total, pending_total } = await payouts.payeeBalance(db, now, payee)
  if (total === 0 && pending_total === 0 && !is_paying) return undefined
  return { payee, total, pending_total, is_paying }
}

/** Whether a balance would never be paid out, because it is below the minimum of a payout. */
function isSmall({ total, pending_total, is_paying }: UnpaidBalance): boolean {
  return total > 0 && !payouts.isPayable(total) && pending_total === 0 && !is_paying
}

/**
 * The balances that can be paid out although they are below the minimum, because they are all that
 * blocks the deletion of an account; none while anything else does.
 */
export function smallBalances(blocks: readonly DeletionBlock[]): UnpaidBalance[] {
  const balances = blocks.flatMap((block) => (block.kind === 'balance' ? [block.balance] : []))
  const isAll = balances.length === blocks.length
  return isAll ? balances.filter(isSmall) : []
}
