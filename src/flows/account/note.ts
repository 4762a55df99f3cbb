import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'

/** The owner of an account, and the session in which they change something. */
export type Owner = ActorOf<'account'> & { session_id: string; email: string }

/** A change that the mailbox is notified of, in case the account's owner did not make it. */
export type SecurityChange =
  | 'password_changed'
  | 'authenticator_added'
  | 'authenticator_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_made'
  | 'agent_allowed'

/** Writes a change into the audit log, in the transaction that makes it. */
export async function note(
  tx: Db,
  now: Date,
  owner: ActorOf<'account'>,
  action: string,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { user_id: subject } = owner
  await audit(tx, now, { actor: owner, action: `account.${action}`, subject, detail })
}

/** Writes a change into the audit log, and queues an email that asks "was this you?". */
export async function notify(
  world: World,
  tx: Db,
  now: Date,
  change: { owner: ActorOf<'account'>; what: SecurityChange; detail?: Record<string, string> },
): Promise<void> {
  const { owner, what, detail } = change
  await note(tx, now, owner, what, detail)
  const facts = { what, ...detail }
  await queueFreshEmail(tx, now, world, { kind: 'security', subject_id: owner.user_id, facts })
}
