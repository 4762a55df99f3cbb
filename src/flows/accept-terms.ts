import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { audit } from '#platform/audit'

/** Accepts the seller terms that are published now; each version once, with a line on record. */
export async function acceptTerms(
  { db, clock, seller_terms_version: version }: World,
  { user_id, request_id }: { user_id: string; request_id: string },
): Promise<void> {
  const now = clock.now()
  await db.tx(async (tx) => {
    if (!(await apps.acceptTerms(tx, now, { user_id, version }))) return
    const action = 'seller.terms_accepted'
    await audit(tx, now, {
      actor: user_id,
      action,
      subject: user_id,
      request_id,
      detail: { version },
    })
  })
}

/** Whether a seller has not accepted the terms that are published now. */
export async function owesTerms(
  { db, seller_terms_version }: World,
  user_id: string,
): Promise<boolean> {
  return (await apps.acceptedTerms(db, user_id))?.version !== seller_terms_version
}
