import type { World } from '#flows/world'
import type { AuditAction } from '#platform/audit'
import { listAudit } from '#platform/audit-log'
import type { CurrentDecision } from './decision-text.tsx'

/**
 * The decision that is in force since this time, with the reason of the latest entry in the audit
 * log, which most staff cannot read. Null if there is none.
 */
export async function readDecision(
  { db }: World,
  since: Date | null,
  { subject, action }: { subject: string; action: AuditAction },
): Promise<CurrentDecision | null> {
  if (since === null) return null
  const [entry] = await listAudit(db, { subject, action, limit: 1 })
  const reason = entry?.detail.reason
  return { since, reason: typeof reason === 'string' ? reason : undefined }
}
