import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { SellerId, SessionId } from '#platform/ids'
import { recordStaffAction, type StaffWithReason } from './staff.ts'

/**
 * Lets a session of staff view a seller's pages, read-only, for half an hour (decision 103). The
 * seller's members see it in their activity. False for an unknown seller.
 */
export async function viewAsSeller(
  { db, clock }: World,
  staff: StaffWithReason,
  { session_id, seller_id }: { session_id: SessionId; seller_id: SellerId },
): Promise<boolean> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    if (!(await sellers.findSeller(tx, seller_id))) return false
    await identity.setViewing(tx, now, { id: session_id, seller_id })
    const done = { action: 'seller.viewed', subject: seller_id } as const
    await recordStaffAction(tx, now, { ...staff, seller_id }, done)
    return true
  })
}

/** Stops viewing a seller's pages before the half hour is over. */
export async function stopViewing(
  { db, clock }: World,
  actor: ActorOf<'staff'>,
  { id, viewing_seller_id: seller_id }: Pick<identity.Session, 'id' | 'viewing_seller_id'>,
): Promise<void> {
  if (seller_id === null) return
  const now = clock.now()
  await db.tx(async (tx) => {
    await identity.setViewing(tx, now, { id, seller_id: null })
    const ended = { actor: { ...actor, seller_id }, action: 'seller.viewing_ended' } as const
    await audit(tx, now, { ...ended, subject: seller_id })
  })
}
