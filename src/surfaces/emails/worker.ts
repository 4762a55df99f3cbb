import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { clearAlarm, raiseAlarm } from '#platform/alarms'
import { isMarkedAsTest } from '#platform/config'
import {
  EMAIL_QUEUE,
  type EmailTemplate,
  findUnsent,
  isReached,
  markSent,
  recordFailure,
  type StoredEmail,
  type UnsentEmail,
} from '#platform/email-queue'
import { ENGLISH } from '#platform/language/locale'
import { NoMailbox, PartlySent } from '#platform/mail'
import { ACCOUNT_EMAILS } from './account.ts'
import { APP_EMAILS } from './app.ts'
import { BUYER_EMAILS } from './buyer.ts'
import { PAYEE_EMAILS } from './payee.ts'
import { emailHtml, emailText, footerOf } from './render.tsx'
import { SELLER_EMAILS } from './seller.ts'
import { hasFacts } from './stored-facts.ts'
import type { EmailWriters, WrittenEmail } from './template.ts'

/** How every email is written; a template without a writer does not compile. */
const WRITERS: EmailWriters<EmailTemplate> = {
  ...ACCOUNT_EMAILS,
  ...APP_EMAILS,
  ...BUYER_EMAILS,
  ...PAYEE_EMAILS,
  ...SELLER_EMAILS,
}

/** Sends queued emails. Each is written when it is sent; its content and links are not stored. */
export function emailWorker(world: World): void {
  world.jobs.handle(EMAIL_QUEUE, async ({ email_id }) => {
    const email = await findUnsent(world.db, email_id)
    if (!email) return
    let recipients: string[] | undefined
    try {
      if (!isKnown(email)) return await refuseUnknown(world, email)
      const receivable = withoutDeleted(await write(world, email))
      const written = await withoutImported(world, email.kind, receivable)
      recipients = written?.to
      if (written) {
        await send(world, email, isMarkedAsTest(world.config) ? markAsTest(written) : written)
      }
    } catch (error) {
      const is_final = error instanceof NoMailbox
      const unreached = error instanceof PartlySent ? error.unreached : recipients
      const reached = recipients?.filter((each) => !unreached?.includes(each)) ?? []
      await recordFailure(world.db, { id: email.id, recipients, reached, error, is_final })
      if (is_final) return
      throw error
    }
    const now = world.clock.now()
    await markSent(world.db, now, { id: email.id, recipients })
    const alarm = { kind: UNWRITTEN, subject: email.id } as const
    if (email.attempts > 0) await clearAlarm(world.db, now, alarm)
  })
}

/** The email as test mode sends it. */
function markAsTest(written: WrittenEmail): WrittenEmail {
  const { subject, heading, blocks } = written.content
  const { t } = written.locale ?? ENGLISH
  return {
    ...written,
    content: {
      subject: t('email.test_subject', { subject }),
      heading,
      blocks: [{ kind: 'text', text: t('email.test_text') }, ...blocks],
    },
  }
}

async function send(
  { mailer, clock, config }: World,
  email: UnsentEmail,
  { to, content, locale = ENGLISH, attachments = [] }: WrittenEmail,
): Promise<void> {
  const footer = footerOf(config, locale)
  const only = to.filter((each) => !isReached(email, each))
  // Those whom it did not reach are no longer recipients.
  if (only.length === 0) return
  await mailer.send(clock.now(), {
    message_id: `<${email.id}@${new URL(config.base_url).hostname}>`,
    to: to.join(', '),
    ...(email.reached.length > 0 ? { only } : {}),
    subject: content.subject,
    html: emailHtml(content, footer, locale),
    text: emailText(content, footer, locale),
    attachments,
  })
}

/**
 * In the test mode beside live mode, a seller tries an import with the file of their real buyers.
 * They get no email about it; what a person asks for at sign-in is sent.
 */
async function withoutImported(
  { db, live }: World,
  kind: EmailTemplate,
  written: WrittenEmail | undefined,
): Promise<WrittenEmail | undefined> {
  if (!live || !written || Object.hasOwn(ACCOUNT_EMAILS, kind)) return written
  const imported = await identity.knownFromImport(db, written.to)
  return filterRecipients(written, (each) => !imported.has(each))
}

/**
 * Deleted accounts have no mailbox; an email to them alone is not sent, nor one to a seller whose
 * last member deleted their account.
 */
function withoutDeleted(written: WrittenEmail | undefined): WrittenEmail | undefined {
  return (
    written && filterRecipients(written, (each) => !each.endsWith(`@${identity.DELETED_DOMAIN}`))
  )
}

/** The email to some of its recipients; undefined if none is left. */
function filterRecipients(
  written: WrittenEmail,
  isWanted: (recipient: string) => boolean,
): WrittenEmail | undefined {
  const to = written.to.filter(isWanted)
  return to.length === 0 ? undefined : { ...written, to }
}

const UNWRITTEN = 'email_unwritten'

/** Whether this release can write an email, which another one may have queued. */
function isKnown(email: UnsentEmail): email is StoredEmail {
  return Object.hasOwn(WRITERS, email.kind) && hasFacts(email)
}

/**
 * Raises an alarm and throws, so that the job is retried: the next process may be of its release.
 */
async function refuseUnknown(world: World, { id, kind }: UnsentEmail): Promise<void> {
  const message =
    `The email ${id} cannot be written: this release has no template ${kind} with its facts. ` +
    'It is retried for 8 to 17 hours, and sent if a release that knows the template runs.'
  const alarm = { kind: UNWRITTEN, subject: id, message } as const
  await raiseAlarm(world.db, world.random, world.clock.now(), alarm)
  throw new Error(message)
}

async function write<Template extends EmailTemplate>(
  world: World,
  email: StoredEmail<Template>,
): Promise<WrittenEmail | undefined> {
  return await WRITERS[email.kind](world, email)
}
