import * as affiliates from '#domain/affiliates'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import { mintId } from '#platform/ids'

/** Makes an account an affiliate under the code it chose, or returns the reason why it cannot. */
export async function joinAffiliates(
  { db, clock, random }: World,
  actor: ActorOf<'account'>,
  code: string,
): Promise<{ affiliate: affiliates.Affiliate } | { fault: string }> {
  const fault = affiliates.codeFault(code)
  if (fault !== undefined) return { fault }
  const now = clock.now()
  const { user_id } = actor
  const added = await db.tx(async (tx) => {
    await identity.requireAccount(tx, user_id)
    const affiliate = { id: mintId(random, 'aff'), user_id, code }
    if (!(await affiliates.add(tx, now, affiliate))) return undefined
    const action = 'affiliate.joined'
    await audit(tx, now, { actor, action, subject: affiliate.id })
    return affiliate
  })
  // If the form was submitted twice, the first submission joined.
  const affiliate = added ?? (await affiliates.affiliateOf(db, user_id))
  return affiliate ? { affiliate } : { fault: 'This code is taken. Choose another.' }
}
