import type { Db } from '#platform/db'
import { failedEmails } from '#platform/email-queue'
import type { EmailId } from '#platform/ids'
import { sql } from '#platform/sql'

/** The states of an email in the log. */
export type EmailState = 'waiting' | 'retrying' | 'failed' | 'sent' | 'not_needed'

/** An email in the log; its text is stored nowhere. */
export interface LoggedEmail {
  id: EmailId
  /** The name of its template. */
  kind: string
  subject_id: string
  queued_at: Date
  sent_at: Date | null
  /** Null if it was not needed; empty for a deleted account. */
  recipients: string[] | null
  attempts: number
  /** Whether it was not sent and is no longer retried. */
  has_failed: boolean
  error: string | null
}

/** A search of the email log. `failed` means that no attempt is left. */
export interface EmailQuery {
  /** In lower case. */
  recipient?: string | undefined
  state?: 'failed' | undefined
  /** The email above those to list. */
  below?: Pick<LoggedEmail, 'queued_at' | 'id'> | undefined
  limit: number
}

/** Emails before `below`, latest first. */
export async function listEmails(
  db: Db,
  now: Date,
  { recipient, state, below, limit }: EmailQuery,
): Promise<LoggedEmail[]> {
  const ofRecipient =
    recipient === undefined ? sql`` : sql`and m.recipients @> array[${recipient}::text]`
  const failed = state === undefined ? sql`` : sql`and ${failedEmails(now)}`
  return await db.rows<LoggedEmail>(sql`select m.id, m.kind, m.subject_id, m.queued_at, m.sent_at,
      m.recipients, m.attempts, ${failedEmails(now)} as has_failed, m.error
    from emails m
    where (m.queued_at, m.id) < (coalesce(${below?.queued_at ?? null}, 'infinity'::timestamptz),
      coalesce(${below?.id ?? null}::text, '~')) ${ofRecipient} ${failed}
    order by m.queued_at desc, m.id desc limit ${limit}`)
}

/** The state of an email in the log. */
export function stateOf(
  email: Pick<LoggedEmail, 'sent_at' | 'recipients' | 'attempts' | 'has_failed'>,
): EmailState {
  if (email.sent_at) return email.recipients === null ? 'not_needed' : 'sent'
  if (email.has_failed) return 'failed'
  return email.attempts === 0 ? 'waiting' : 'retrying'
}
