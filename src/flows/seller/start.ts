import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { stateOfZip } from '#domain/tax'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { mintId, type SellerId } from '#platform/ids'
import type { FieldFault } from '#platform/problem'

/**
 * Makes an account the owner of a new seller, who accepts the published terms; or every fault of
 * the entered details. An account that owns a seller keeps that one.
 */
export async function startSelling(
  { db, clock, random, seller_terms_version: version }: World,
  actor: ActorOf<'seller'>,
  form: sellers.EnteredDetails,
): Promise<{ seller_id: SellerId } | { faults: FieldFault[] }> {
  const details = sellers.readDetails(form, stateOfZip)
  if ('faults' in details) return details
  const now = clock.now()
  const { user_id } = actor
  return await db.tx(async (tx) => {
    await identity.requireAccount(tx, user_id)
    await sellers.lockMemberships(tx, user_id)
    const owned = (await sellers.membershipsOf(tx, user_id)).find(({ role }) => role === 'owner')
    if (owned) return { seller_id: owned.seller_id }
    const seller_id = mintId(random, 'sel')
    await sellers.addSeller(tx, now, { id: seller_id, ...details })
    await sellers.addMember(tx, now, { seller_id, user_id, role: 'owner' })
    await sellers.acceptTerms(tx, now, { seller_id, version })
    const owner = { ...actor, seller_id }
    await audit(tx, now, { actor: owner, action: 'seller.started', subject: seller_id })
    const detail = { version }
    await audit(tx, now, {
      actor: owner,
      action: 'seller.terms_accepted',
      subject: seller_id,
      detail,
    })
    return { seller_id }
  })
}
