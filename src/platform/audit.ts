import type { Db } from '#platform/db'
import { sql } from '#platform/sql'

/** Where a request comes from. */
export interface Origin {
  /** The caller's whole network address. */
  address: string
  /** What the caller says to be, as far as it is kept. */
  agent: string
  request_id: string
}

/** Something that somebody did and that must be answerable for later. */
export interface AuditEntry {
  /** Who: an account, an app's client or the service itself, as `usr_…`, `app_…`, `system`. */
  actor: string
  /** What, as `license.key_rotated`. */
  action: string
  /** The id of what it was done to. */
  subject: string
  request_id?: string
  /** Names the request too, where it is given. */
  origin?: Origin | undefined
  detail?: Record<string, unknown>
}

/** Writes one line of the audit log, in the transaction of the action itself. */
export async function audit(db: Db, now: Date, entry: AuditEntry): Promise<void> {
  const { actor, action, subject, origin, detail = {} } = entry
  const request_id = origin?.request_id ?? entry.request_id ?? null
  await db.run(sql`insert into audit_log
      (at, actor, action, subject, request_id, address, agent, detail)
    values (${now}, ${actor}, ${action}, ${subject}, ${request_id}, ${origin?.address ?? null},
      ${origin?.agent ?? null}, ${JSON.stringify(detail)})`)
}
