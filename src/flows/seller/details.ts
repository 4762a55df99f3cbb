import * as sellers from '#domain/sellers'
import { stateOfZip } from '#domain/tax'
import { lockMember } from '#flows/member-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { SellerId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/** Saves a seller's legal name and address, or returns every fault; what is absent stays. */
export async function saveDetails(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { seller_id, entered }: { seller_id: SellerId; entered: sellers.EnteredDetails },
): Promise<{ faults: FieldFault[] } | undefined> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    await lockMember(tx, { seller_id, user_id: actor.user_id }, 'account')
    await sellers.lockSeller(tx, seller_id)
    const { id: _, ...before } = (await sellers.findSeller(tx, seller_id))!
    const details = sellers.readDetails({ ...before, ...entered }, stateOfZip)
    if ('faults' in details) return details
    await sellers.setDetails(tx, seller_id, details)
    const detail = { before, after: details }
    await audit(tx, now, { actor, action: 'seller.details_changed', subject: seller_id, detail })
    return undefined
  })
}
