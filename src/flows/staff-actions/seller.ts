import * as apps from '#domain/apps'
import * as ledger from '#domain/ledger'
import * as sellers from '#domain/sellers'
import type { SellerDecision } from '#flows/closed-sets'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'
import type { SellerId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

const AUDITED = {
  suspended: 'seller.suspended',
  reinstated: 'seller.reinstated',
  payouts_paused: 'seller.payouts_paused',
  payouts_resumed: 'seller.payouts_resumed',
} as const satisfies Record<SellerDecision, string>

/**
 * Suspends or reinstates a seller, or pauses its payouts or resumes them (decision 102), and
 * emails its members the reason. False if nothing changed, or the seller is unknown.
 */
export async function decideAboutSeller(
  world: World,
  staff: StaffWithReason,
  { seller_id, what }: { seller_id: SellerId; what: SellerDecision },
): Promise<boolean> {
  const now = world.clock.now()
  return await world.db.tx(async (tx) => {
    // A purchase that is being recorded ends before, and the next one waits for the decision. The
    // apps are locked before their seller, as purchases and transfers do.
    if (what === 'suspended' || what === 'reinstated') await apps.lockAllOf(tx, seller_id)
    // A payout that begins at the same time ends before, or sees the decision.
    await ledger.lockOwner(tx, seller_id)
    if (!(await apply(tx, now, seller_id, what))) return false
    const done = { action: AUDITED[what], subject: seller_id }
    await recordStaffAction(tx, now, { ...staff, seller_id }, done)
    const facts = { what, reason: staff.reason }
    const email = { kind: 'seller_decision', subject_id: seller_id, facts } as const
    await queueFreshEmail(tx, now, world, email)
    return true
  })
}

async function apply(
  tx: Db,
  now: Date,
  seller_id: SellerId,
  what: SellerDecision,
): Promise<boolean> {
  const seller = await sellers.lockSeller(tx, seller_id)
  if (!seller) return false
  if (what === 'payouts_paused' || what === 'payouts_resumed') {
    const arePaused = what === 'payouts_paused'
    if ((seller.payouts_paused_at !== null) === arePaused) return false
    await sellers.setPayoutsPaused(tx, seller_id, arePaused ? now : null)
    return true
  }
  const isSuspended = what === 'suspended'
  if ((seller.suspended_at !== null) === isSuspended) return false
  await sellers.setSuspended(tx, seller_id, isSuspended ? now : null)
  await apps.setSellerSuspended(tx, seller_id, isSuspended ? now : null)
  return true
}
