import type { SecurityChange } from '#flows/closed-sets'
import type { World } from '#flows/world'
import { type ActorOf, type AuditAction, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { queueFreshEmail } from '#platform/email-queue'
import type { SessionId } from '#platform/ids'

/** The owner of an account, and the session in which they change something. */
export type Owner = ActorOf<'account'> & { session_id: SessionId; email: string }

type AfterAccount<Action> = Action extends `account.${infer Rest}` ? Rest : never

/** Writes a change to the audit log, in the transaction that makes it. */
export async function auditChange(
  tx: Db,
  now: Date,
  owner: ActorOf<'account'>,
  action: AfterAccount<AuditAction>,
  detail: Record<string, unknown> = {},
): Promise<void> {
  const { user_id: subject } = owner
  await audit(tx, now, { actor: owner, action: `account.${action}`, subject, detail })
}

/** What the audit log records about a change. The email shows the name only. */
type ChangeDetail = { name?: string } & Record<string, string>

/** Writes a change to the audit log, and queues an email that asks "was this you?". */
export async function auditAndNotify(
  world: World,
  tx: Db,
  now: Date,
  change: { owner: ActorOf<'account'>; what: SecurityChange; detail?: ChangeDetail },
): Promise<void> {
  const { owner, what, detail } = change
  await auditChange(tx, now, owner, what, detail)
  const facts = { what, name: detail?.name }
  await queueFreshEmail(tx, now, world, { kind: 'security', subject_id: owner.user_id, facts })
}
