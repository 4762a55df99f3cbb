import type { World } from '#flows/world'
import { audit, type Origin } from '#platform/audit'
import type { UserId } from '#platform/ids'

/** Audits a refused sign-in, with the account that it named, if there is one. */
export async function auditRefusedSignIn(
  { db, clock }: World,
  origin: Origin,
  facts: {
    user_id: UserId | undefined
    by: 'password' | 'passkey' | 'code' | 'recovery_code'
    action?: 'sign_in_refused' | 'second_factor_refused' | 'proof_refused'
  },
): Promise<void> {
  const { user_id, by, action = 'sign_in_refused' } = facts
  await audit(db, clock.now(), {
    actor: { kind: 'anonymous', request_id: origin.request_id, origin },
    action: `account.${action}`,
    subject: user_id ?? 'unknown',
    detail: { by },
  })
}
