import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** Something that somebody did and that must be answerable for later. */
export interface AuditEntry {
  /** Who: an account, an app's client or the service itself, as `usr_…`, `app_…`, `system`. */
  actor: string
  /** What, as `license.key_rotated`. */
  action: string
  /** The id of what it was done to. */
  subject: string
  request_id?: string
  detail?: Record<string, unknown>
}

/** Writes one line of the audit log, in the transaction of the deed itself. */
export async function audit(db: Db, now: Date, entry: AuditEntry): Promise<void> {
  await db.run(sql`insert into audit_log (at, actor, action, subject, request_id, detail)
    values (${now}, ${entry.actor}, ${entry.action}, ${entry.subject},
      ${entry.request_id ?? null}, ${JSON.stringify(entry.detail ?? {})})`)
}
