import * as sellers from '#domain/sellers'
import { lockMember } from '#flows/member-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { SellerId } from '#platform/ids'

/** Saves a seller's legal name and address. */
export async function saveDetails(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { seller_id, details }: { seller_id: SellerId; details: sellers.SellerDetails },
): Promise<void> {
  const now = clock.now()
  await db.tx(async (tx) => {
    await lockMember(tx, { seller_id, user_id: actor.user_id }, 'account')
    const { id: _, ...before } = (await sellers.findSeller(tx, seller_id))!
    await sellers.setDetails(tx, seller_id, details)
    const detail = { before, after: details }
    await audit(tx, now, { actor, action: 'seller.details_changed', subject: seller_id, detail })
  })
}
