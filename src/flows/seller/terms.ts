import * as sellers from '#domain/sellers'
import { lockMember } from '#flows/member-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { SellerId } from '#platform/ids'

/** Accepts the published seller terms for a seller. Each version is recorded once. */
export async function acceptTerms(
  { db, clock, seller_terms_version: version }: World,
  actor: ActorOf<'seller'>,
  seller_id: SellerId,
): Promise<void> {
  const now = clock.now()
  await db.tx(async (tx) => {
    await lockMember(tx, { seller_id, user_id: actor.user_id }, 'account')
    if (!(await sellers.acceptTerms(tx, now, { seller_id, version }))) return
    const action = 'seller.terms_accepted'
    await audit(tx, now, { actor, action, subject: seller_id, detail: { version } })
  })
}

/** Whether a seller has not yet accepted the published terms. */
export async function owesTerms(
  { db, seller_terms_version }: World,
  seller_id: SellerId,
): Promise<boolean> {
  return (await sellers.acceptedTerms(db, seller_id))?.version !== seller_terms_version
}
