import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import type { Jobs, Queue } from '#platform/jobs'
import type { Random } from '#platform/random'
import { sql } from '#platform/sql'

/** An email to send: its template, its subject, and its cause. */
export interface QueuedEmail {
  id: string
  /** A second email for the same cause is not queued. */
  cause: string
  kind: string
  /** The id of what the email is about. */
  subject_id: string
  /** Further values for its text; no secrets. */
  facts?: Record<string, string>
}

/** Eleven retries over some eight hours outlast most outages of a mail server. */
export const EMAIL_QUEUE: Queue = { name: 'emails', retries: 11, retry_seconds: 15, parallel: 5 }

/** Queues an email in the caller's transaction; false if its cause had one before. */
export async function queueEmail(
  db: Db,
  now: Date,
  jobs: Jobs,
  email: QueuedEmail,
  options: { urgent?: boolean } = {},
): Promise<boolean> {
  const inserted = await db.run(sql`insert into emails
    (id, cause, kind, subject_id, facts, queued_at)
    values (${email.id}, ${email.cause}, ${email.kind}, ${email.subject_id},
      ${JSON.stringify(email.facts ?? {})}, ${now})
    on conflict (cause) do nothing`)
  if (inserted === 1) await jobs.send(db, EMAIL_QUEUE, { email_id: email.id }, options)
  return inserted === 1
}

/**
 * Queues an email without a cause, so that it is sent as often as it is requested. A person waits
 * for it, so it is sent before receipts and notices.
 */
export async function queueFreshEmail(
  db: Db,
  now: Date,
  { jobs, random }: { jobs: Jobs; random: Random },
  email: Pick<QueuedEmail, 'kind' | 'subject_id' | 'facts'>,
): Promise<void> {
  const id = mintId(random, 'email')
  const fresh = { ...email, id, cause: `${email.kind}:${id}` }
  await queueEmail(db, now, jobs, fresh, { urgent: true })
}

/** An email that is not sent yet; undefined if it was sent. */
export async function findUnsent(db: Db, id: string): Promise<Required<QueuedEmail> | undefined> {
  return await db.maybe<Required<QueuedEmail>>(sql`select id, cause, kind, subject_id, facts
    from emails where id = ${id} and sent_at is null`)
}

/** Marks an email as sent. */
export async function markSent(db: Db, now: Date, id: string): Promise<void> {
  await db.run(sql`update emails set sent_at = ${now} where id = ${id}`)
}

/** The emails of these causes that were sent, the earliest first. */
export async function sentEmails(
  db: Db,
  causes: string[],
): Promise<{ cause: string; sent_at: Date }[]> {
  return await db.rows<{ cause: string; sent_at: Date }>(sql`select cause, sent_at from emails
    where cause = any(${causes}) and sent_at is not null order by sent_at, cause`)
}
