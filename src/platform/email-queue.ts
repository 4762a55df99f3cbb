import { z } from 'zod'
import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import { type EmailId, idSchema, mintId } from '#platform/ids'
import type { Jobs, Queue } from '#platform/jobs'
import type { Random } from '#platform/random'
import { sha256 } from '#platform/secrets'
import { columnsOf, rowsOf, type Sql, sql } from '#platform/sql'
import { type Writes, writeTogether } from '#platform/write-together'

/**
 * The email templates, as keys, each with the further values of its text; no secrets. The layers
 * above add theirs (src/flows/closed-sets.ts, decision 85).
 */
// biome-ignore lint/suspicious/noEmptyInterface: the layers above add its keys.
export interface EmailTemplates {}

export type EmailTemplate = keyof EmailTemplates

/** The facts of a template that needs none. */
export type NoFacts = Record<string, never>

/** An email's template, the id of its subject, and the values that the template needs. */
export type EmailSubject = {
  [Template in EmailTemplate]: {
    kind: Template
    subject_id: string
  } & (EmailTemplates[Template] extends NoFacts
    ? { facts?: undefined }
    : { facts: EmailTemplates[Template] })
}[EmailTemplate]

/** An email to send. A second one for the same cause is not queued. */
export type QueuedEmail = EmailSubject & { id: EmailId; cause: string }

/** An email that waits to be sent. */
export interface StoredEmail<Template extends EmailTemplate = EmailTemplate> {
  id: EmailId
  cause: string
  kind: Template
  subject_id: string
  facts: EmailTemplates[Template]
  /** The number of attempts to send it. */
  attempts: number
  /** Digests of the recipients whom an earlier attempt reached. */
  reached: string[]
}

/** An email as it is stored, possibly by another release, with a template or facts of its own. */
export interface UnsentEmail extends Omit<StoredEmail, 'kind' | 'facts'> {
  kind: string
  facts: unknown
}

/** Eleven retries over 8 to 17 hours, by chance, outlast most outages of a mail server. */
export const EMAIL_QUEUE: Queue<{ email_id: EmailId }> = {
  name: 'emails',
  schema: z.object({ email_id: idSchema('email') }),
  retries: 11,
  retry_seconds: 15,
  // An email mostly waits for the mail server.
  parallel: 15,
}

/** Queues an email in the caller's transaction; false if one was already queued for its cause. */
export async function queueEmail(
  db: Writes,
  now: Date,
  jobs: Jobs,
  email: QueuedEmail,
  options: { urgent?: boolean } = {},
): Promise<boolean> {
  return (await queueEmails(db, now, jobs, [email], options)) === 1
}

/**
 * Queues an email that is sent once about its subject, such as a refund, in the caller's
 * transaction. A second one of the same kind about the same subject is not queued.
 */
export async function queueEmailOnce(
  db: Writes,
  now: Date,
  { jobs, random }: { jobs: Jobs; random: Random },
  email: EmailSubject,
): Promise<void> {
  const id = mintId(random, 'email')
  await queueEmail(db, now, jobs, { ...email, id, cause: `${email.kind}:${email.subject_id}` })
}

/** Queues several emails, like `queueEmail`; returns how many were new. */
export async function queueEmails(
  db: Writes,
  now: Date,
  jobs: Jobs,
  emails: QueuedEmail[],
  options: { urgent?: boolean } = {},
): Promise<number> {
  const rows = emails.map(({ facts = {}, ...email }) => ({
    ...email,
    facts: JSON.stringify(facts),
    queued_at: now,
  }))
  const added = sql`insert into emails (${columnsOf(TYPES)}) select * from ${rowsOf(rows, TYPES)}
    on conflict (cause) do nothing`
  // The job of an email that was not added finds none, and ends.
  const sent = emails.map(({ id }) => ({ email_id: id }))
  const [count] = await writeTogether(db, (writes) => [
    writes.run(added),
    jobs.sendAll(writes, EMAIL_QUEUE, sent, options),
  ])
  return count
}

const TYPES = {
  id: 'text',
  cause: 'text',
  kind: 'text',
  subject_id: 'text',
  facts: 'jsonb',
  queued_at: 'timestamptz',
} as const

/**
 * Queues an email without a cause, so that it is sent as often as it is requested. A person waits
 * for it, so it is sent before receipts and notices.
 */
export async function queueFreshEmail(
  db: Db,
  now: Date,
  { jobs, random }: { jobs: Jobs; random: Random },
  email: EmailSubject,
): Promise<void> {
  const id = mintId(random, 'email')
  const fresh = { ...email, id, cause: `${email.kind}:${id}` }
  await queueEmail(db, now, jobs, fresh, { urgent: true })
}

/** Whether an earlier attempt to send an email reached this recipient. */
export function isReached({ id, reached }: UnsentEmail, recipient: string): boolean {
  return reached.includes(digestOf(id, recipient))
}

function digestOf(id: EmailId, address: string): string {
  return sha256(id + address).toString('hex')
}

/** An email that is not sent yet; undefined if it was sent. */
export async function findUnsent(db: Db, id: EmailId): Promise<UnsentEmail | undefined> {
  return await db.maybe<UnsentEmail>(sql`select id, cause, kind, subject_id, facts,
      attempts, reached
    from emails where id = ${id} and sent_at is null`)
}

/** Marks an email as sent; without recipients it was no longer needed. */
export async function markSent(
  db: Db,
  now: Date,
  { id, recipients }: { id: EmailId; recipients: string[] | undefined },
): Promise<void> {
  // The address of a deleted account is needed until here, and is in no log afterwards.
  await db.run(sql`update emails set sent_at = ${now}, attempts = attempts + 1, error = null,
    recipients = ${loggedAs(recipients)}, forgotten = null, reached = '{}',
    facts = facts - 'sealed_to'
    where id = ${id}`)
}

/**
 * Records an attempt that failed, and whom it reached all the same. The queue tries again, unless
 * the failure is final.
 */
export async function recordFailure(
  db: Db,
  facts: {
    id: EmailId
    recipients: string[] | undefined
    reached?: string[]
    error: unknown
    is_final: boolean
  },
): Promise<void> {
  const { id, recipients = [], reached = [], error, is_final } = facts
  const attempts = is_final ? sql`${EMAIL_QUEUE.retries + 1}` : sql`attempts + 1`
  const message = String(error instanceof Error ? error.message : error)
  const nameless = recipients.reduce((text, each) => text.replaceAll(each, '…'), message)
  await db.run(sql`update emails set attempts = ${attempts}, error = ${nameless.slice(0, 500)},
    recipients = ${loggedAs(recipients)},
    reached = reached || ${reached.map((each) => digestOf(id, each))}::text[]
    where id = ${id}`)
}

/** In lower case, as the log is searched, and without the addresses of deleted accounts. */
function loggedAs(recipients: string[] | undefined): Sql {
  if (!recipients) return sql`null`
  const addresses = recipients.map((each) => each.toLowerCase())
  return sql`case when facts ? 'sealed_to' then '{}' else array(
    select coalesce(forgotten ->> ${digestIn(sql`r.address`)}, r.address)
    from unnest(${addresses}::text[]) with ordinality r (address, place) order by r.place) end`
}

/** The same of an address in a statement; a row of "emails" is in scope. */
function digestIn(address: Sql): Sql {
  return sql`encode(sha256(convert_to(id || ${address}, 'UTF8')), 'hex')`
}

// Retries end within 17 hours, also where the last one was cut off and counted as none.
const RETRIED_DAYS = 1

/** The condition of rows of "emails" that were not sent and are no longer retried. */
export function failedEmails(now: Date): Sql {
  return sql`sent_at is null and (attempts > ${EMAIL_QUEUE.retries}
    or (attempts > 0 and queued_at <= ${addDays(now, -RETRIED_DAYS)}))`
}

/** Queues a failed email again. False if it was sent or is still being retried. */
export async function requeueEmail(db: Db, now: Date, jobs: Jobs, id: EmailId): Promise<boolean> {
  const failed = await db.run(sql`update emails
    set attempts = 0, error = null, queued_at = ${now}
    where id = ${id} and ${failedEmails(now)}`)
  if (failed === 1) await jobs.send(db, EMAIL_QUEUE, { email_id: id }, { urgent: true })
  return failed === 1
}

/** The emails of these causes that were sent, earliest first. */
export async function sentEmails(
  db: Db,
  causes: string[],
): Promise<{ cause: string; sent_at: Date }[]> {
  return await db.rows<{ cause: string; sent_at: Date }>(sql`select cause, sent_at from emails
    where cause = any(${causes}) and sent_at is not null order by sent_at, cause`)
}

/** When the oldest email was queued that is still retried; null: none. */
export async function oldestUnsent(db: Db, now: Date): Promise<Date | null> {
  const { oldest } = await db.one<{ oldest: Date | null }>(sql`select min(queued_at) as oldest
    from emails where sent_at is null and attempts <= ${EMAIL_QUEUE.retries}
      and queued_at > ${addDays(now, -RETRIED_DAYS)}`)
  return oldest
}

/** Whether an email waits for the first attempt to write and send it. */
export async function isAnyUntried(db: Db): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(
    sql`select exists (select 1 from emails where sent_at is null and attempts = 0) as found`,
  )
  return found
}

/** Whether an email that is still retried has waited since before this time. */
export async function isAnyUnsentSince(db: Db, before: Date): Promise<boolean> {
  const { found } = await db.one<{ found: boolean }>(sql`select exists (select 1 from emails
    where sent_at is null and attempts <= ${EMAIL_QUEUE.retries}
      and queued_at between ${addDays(before, -RETRIED_DAYS)} and ${before})
    as found`)
  return found
}

/**
 * Replaces an address in the log of emails, also of those that are being sent, and deletes what the
 * development mailbox has for it.
 */
export async function anonymizeEmails(
  db: Db,
  { email_normalized, address }: { email_normalized: string; address: string },
): Promise<void> {
  await db.run(
    sql`update emails set subject_id = ${address} where subject_id = ${email_normalized}`,
  )
  // A send that began before commits after this, or sees it: both update the row.
  await db.run(sql`update emails set forgotten = coalesce(forgotten, '{}')
      || jsonb_build_object(${digestIn(sql`${email_normalized}::text`)}, ${address}::text)
    where sent_at is null`)
  await db.run(sql`update emails
    set recipients = array_replace(recipients, ${email_normalized}, ${address}), error = null
    where recipients @> array[${email_normalized}::text]`)
  await db.run(sql`delete from dev_mailbox where lower(recipient) = ${email_normalized}
    or position(${email_normalized} in lower(text)) > 0`)
}
