import type { World } from '#flows/world'
import { audit, type Origin } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'

/** The owner of an account, in the session from which he changes something. */
export interface Owner {
  user_id: string
  session_id: string
  email: string
  request_id: string
  origin?: Origin
}

/** A change that the mailbox is told of, so that an owner who did not make it hears of it. */
export type SecurityChange =
  | 'password_changed'
  | 'authenticator_added'
  | 'authenticator_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_made'
  | 'agent_allowed'

/** Who did it, as far as a note of it must know. */
export type Doer = Pick<Owner, 'user_id' | 'request_id' | 'origin'>

/** Writes a change into the audit log, in the transaction that makes it. */
export async function note(
  tx: Db,
  now: Date,
  owner: Doer,
  action: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { user_id, request_id, origin } = owner
  await audit(tx, now, {
    actor: user_id,
    action: `account.${action}`,
    subject: user_id,
    request_id,
    origin,
    detail,
  })
}

/** The same, and an email that asks "was this you?". */
export async function tell(
  world: World,
  tx: Db,
  now: Date,
  change: { owner: Doer; what: SecurityChange; detail?: Record<string, string> },
): Promise<void> {
  const { owner, what, detail } = change
  await note(tx, now, owner, what, detail)
  const facts = { what, ...detail }
  await queueFreshEmail(tx, now, world, { kind: 'security', subject_id: owner.user_id, facts })
}
