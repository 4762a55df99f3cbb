import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { UserId } from '#platform/ids'

/** Accepts the published seller terms. Each version is recorded once. */
export async function acceptTerms(
  { db, clock, seller_terms_version: version }: World,
  actor: ActorOf<'seller'>,
): Promise<void> {
  const now = clock.now()
  const { user_id } = actor
  await db.tx(async (tx) => {
    if (!(await apps.acceptTerms(tx, now, { user_id, version }))) return
    const action = 'seller.terms_accepted'
    await audit(tx, now, { actor, action, subject: user_id, detail: { version } })
  })
}

/** Whether a seller has not yet accepted the published terms. */
export async function owesTerms(
  { db, seller_terms_version }: World,
  user_id: UserId,
): Promise<boolean> {
  return (await apps.acceptedTerms(db, user_id))?.version !== seller_terms_version
}
