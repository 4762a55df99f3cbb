import type { NodemailerError } from 'nodemailer'
import type SMTPPool from 'nodemailer/lib/smtp-pool'
import { assertNoTransaction, type Database, type Db } from '#platform/db'
import type { Log } from '#platform/log'
import { sql } from '#platform/sql'

/** A file attached to an email. */
export interface Attachment {
  filename: string
  content_type: string
  content: Buffer
}

/** An email that is ready to send. */
export interface Message {
  /** Stable across retries, so that a mail server can drop a second copy. */
  message_id: string
  /** An email address, or several separated by commas. */
  to: string
  /** Those of them who receive this copy; by default all. */
  only?: string[]
  subject: string
  html: string
  text: string
  attachments?: Attachment[]
}

/** Thrown if the mail server says that no recipient has a mailbox: a retry would not help. */
export class NoMailbox extends Error {}

/** Thrown if the mail server accepted a message, but not for all recipients with a mailbox. */
export class PartlySent extends Error {
  /** Those to whom it was not sent. */
  readonly unreached: readonly string[]

  constructor(unreached: readonly string[], message: string) {
    super(message)
    this.unreached = unreached
  }
}

export interface Mailer {
  /**
   * Sends, or throws if the server did not accept the message: `NoMailbox` if it never will,
   * `PartlySent` if it did for some recipients.
   */
  send(now: Date, message: Message): Promise<void>
  close(): void
}

const TIMEOUT_MS = 15_000
/**
 * More than one lane of emails uses, so that an urgent one does not wait for the others. A query of
 * the URL sets another number, as `?maxConnections=3`: some servers allow only a few.
 */
export const MAX_CONNECTIONS = 20

/**
 * A permanent answer about the recipient (RFC 3463): no such mailbox, no such domain, a malformed
 * address, a mailbox that moved or is closed. Any other may be about the sender or its settings.
 */
const NO_MAILBOX = /^5\d\d[ -]5\.(?:1\.[0-36]|2\.1)\b/

const LOOPBACK = /^(localhost|127(\.\d{1,3}){3}|\[::1\])$/

/** Whether this mail server is local; to any other, mail is sent with TLS only. */
function isLoopback(smtpUrl: string): boolean {
  return LOOPBACK.test(new URL(smtpUrl).hostname)
}

function smtpSettings(smtpUrl: string) {
  return {
    url: smtpUrl,
    requireTLS: !isLoopback(smtpUrl),
    connectionTimeout: TIMEOUT_MS,
    socketTimeout: TIMEOUT_MS,
  }
}

/** Connects and signs in to an SMTP server as for sending, and sends nothing; throws if refused. */
export async function verifyMail(smtpUrl: string): Promise<void> {
  const { createTransport } = await import('nodemailer')
  const transport = createTransport({ ...smtpSettings(smtpUrl), greetingTimeout: TIMEOUT_MS })
  await transport.verify().finally(() => transport.close())
}

/** A pool of connections. Its library is loaded for the first email: web processes send none. */
async function openPool(smtpUrl: string, { from, reply_to }: Senders) {
  const { createTransport } = await import('nodemailer')
  const settings = { ...smtpSettings(smtpUrl), pool: true, maxConnections: MAX_CONNECTIONS }
  return createTransport(settings as SMTPPool.Options, { from, replyTo: reply_to })
}

interface Senders {
  from: string
  reply_to: string
}

/** Sends through an SMTP server; replies go to `reply_to`. */
export function smtpMailer(smtpUrl: string, senders: Senders): Mailer {
  let opening: ReturnType<typeof openPool> | undefined
  return {
    async send(_now, { message_id, to, only, subject, html, text, attachments = [] }) {
      assertNoTransaction('a mail was sent')
      opening ??= openPool(smtpUrl, senders)
      const transport = await opening
      const mail = {
        messageId: message_id,
        to,
        ...(only ? { envelope: { from: senders.from, to: only } } : {}),
        subject,
        html,
        text,
        attachments: attachments.map(({ filename, content_type, content }) => ({
          filename,
          contentType: content_type,
          content,
        })),
      }
      assertReached(await sent(transport.sendMail(mail)))
    },
    close() {
      void opening?.then((transport) => transport.close())
    },
  }
}

async function sent<Info>(sending: Promise<Info>): Promise<Info> {
  try {
    return await sending
  } catch (error) {
    throw isNoMailbox(error) ? new NoMailbox(error.message, { cause: error }) : error
  }
}

/** Recipients without a mailbox are left out: a retry would not help. */
function assertReached({ rejectedErrors = [] }: Pick<SMTPPool.SentMessageInfo, 'rejectedErrors'>) {
  const unreached = rejectedErrors.filter(({ response = '' }) => !NO_MAILBOX.test(response))
  const [first] = unreached
  if (!first) return
  const recipients = unreached.flatMap(({ recipient = [] }) => recipient)
  throw new PartlySent(recipients, first.message)
}

function isNoMailbox(error: unknown): error is NodemailerError {
  if (!(error instanceof Error)) return false
  const { response = '', rejectedErrors }: NodemailerError = error
  const refusals = rejectedErrors?.map((each) => each.response ?? '') ?? [response]
  return refusals.every((each) => NO_MAILBOX.test(each))
}

/**
 * Stores emails in the database for the page at /dev/mailbox: development without a mail server.
 */
export function mailboxMailer(db: Database, log: Log): Mailer {
  return {
    async send(now, { message_id, to, subject, html, text, attachments = [] }) {
      const kept = attachments.map((each) => ({
        ...each,
        content: each.content.toString('base64'),
      }))
      await db.run(sql`insert into dev_mailbox
        (message_id, recipient, subject, html, text, attachments, sent_at)
        values (${message_id}, ${to}, ${subject}, ${html}, ${text}, ${JSON.stringify(kept)}, ${now})
        on conflict (message_id) do nothing`)
      log.info({ subject }, 'email captured in the development mailbox')
    },
    close() {},
  }
}

/** An email in the development mailbox. */
export interface MailboxEmail {
  message_id: string
  recipient: string
  subject: string
  html: string
  text: string
  sent_at: Date
}

/** The latest emails of the development mailbox. */
export async function listMailbox(db: Db): Promise<MailboxEmail[]> {
  return await db.rows<MailboxEmail>(sql`select message_id, recipient, subject, html, text, sent_at
    from dev_mailbox order by sent_at desc, message_id limit 100`)
}

/** One email of the development mailbox, with its attachments. */
export async function findMailboxEmail(
  db: Db,
  message_id: string,
): Promise<(MailboxEmail & { attachments: Attachment[] }) | undefined> {
  type Kept = MailboxEmail & { attachments: (Omit<Attachment, 'content'> & { content: string })[] }
  const kept = await db.maybe<Kept>(sql`select message_id, recipient, subject, html, text, sent_at,
      attachments from dev_mailbox where message_id = ${message_id}`)
  if (!kept) return undefined
  const attachments = kept.attachments.map((each) => ({
    ...each,
    content: Buffer.from(each.content, 'base64'),
  }))
  return { ...kept, attachments }
}
