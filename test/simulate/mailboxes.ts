import * as identity from '#domain/identity'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import type { EmailChangeId, EmailId, UserId } from '#platform/ids'
import { sha256 } from '#platform/secrets'
import { sql } from '#platform/sql'
import { ACCOUNT_EMAILS } from '#surfaces/emails/account'
import type { WrittenEmail } from '#surfaces/emails/template'
import type { Fixture } from './fixture.ts'
import type { SeededRandom } from './random.ts'
import type { EmailedPurpose } from './record.ts'

/** The emails with a link that people use. */
const KINDS = [
  'sign_in',
  'set_password',
  'change_email',
  'email_change_requested',
  'email_changed',
] as const
type ReadKind = (typeof KINDS)[number]

interface QueuedRow {
  id: EmailId
  kind: ReadKind
  subject_id: string
  facts: StoredEmail<ReadKind>['facts']
}

/** An email is written and arrives: most often a recent one, perhaps again. */
export async function readSomeEmail(
  fixture: Fixture,
  rng: SeededRandom,
): Promise<string | undefined> {
  const queued = await newestEmails(fixture, rng.odds(75) ? 3 : 30)
  return queued.length === 0 ? undefined : await readEmail(fixture, rng.pick(queued))
}

/** Several recent emails are written and arrive. */
export async function readNewestEmails(fixture: Fixture, count: number): Promise<void> {
  for (const email of await newestEmails(fixture, count)) await readEmail(fixture, email)
}

async function newestEmails({ world }: Fixture, count: number): Promise<QueuedRow[]> {
  return await world.db.rows<QueuedRow>(sql`select id, kind, subject_id, facts from emails
    where kind = any(${[...KINDS]}) order by queued_at desc, id limit ${count}`)
}

async function readEmail(fixture: Fixture, { kind, ...email }: QueuedRow): Promise<string> {
  const { world, record } = fixture
  const at = world.clock.now()
  const write = ACCOUNT_EMAILS[kind] as (
    each: typeof world,
    email: StoredEmail<EmailTemplate>,
  ) => Promise<WrittenEmail | undefined>
  const stored = { ...email, kind, cause: email.id, attempts: 0, reached: [] }
  const written = await writtenOnce(() => write(world, stored as StoredEmail<EmailTemplate>))
  if (!written) return `${kind} of ${email.subject_id} is out of date`
  const [, purpose, token] = /\/link\/(\w+)\/([\w-]+)/.exec(JSON.stringify(written.content)) ?? []
  if (!purpose || !token) return `${kind} to ${written.to} has no link`
  // The worker sends nothing to a deleted account.
  const mailbox = identity.readEmail(written.to[0]!)?.email_normalized
  if (!mailbox) return `${kind} to ${written.to} is not sent`
  const about = await fixture.harness.db.maybe<StoredLink>(sql`select l.user_id,
      l.about as change_id, c.created_at as requested_at, c.old_email, c.new_email
    from account_links l left join email_changes c on c.id = l.about
    where l.token_hash = ${sha256(token)}`)
  // The account was deleted in the same moment.
  if (!about) return `${kind} to ${mailbox} is out of date`
  const { user_id, change_id, requested_at, old_email, new_email } = about
  const link = { purpose: purpose as EmailedPurpose, token, mailbox, user_id, change_id, at }
  const other = purpose === 'undo_email' ? new_email : old_email
  record.links.push({ ...link, requested_at, other })
  return `${kind} to ${mailbox}`
}

interface StoredLink {
  user_id: UserId
  change_id: EmailChangeId | null
  requested_at: Date | null
  old_email: string | null
  new_email: string | null
}

/** The worker writes an email again whose account has another address since. */
async function writtenOnce(
  write: () => Promise<WrittenEmail | undefined>,
): Promise<WrittenEmail | undefined> {
  try {
    return await write()
  } catch (error) {
    if ((error as Error).message === 'the email of the account has changed') return undefined
    throw error
  }
}
