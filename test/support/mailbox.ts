import assert from 'node:assert/strict'
import { sql } from '#platform/sql'
import type { TestService } from './service.ts'

// An email that failed three times is tried again 105 seconds after the first failure.
const PATIENCE_MS = 150_000
const PAUSE_MS = 20

/**
 * The latest email to an address whose subject matches, as text; waits for it. The service must
 * process its queues: see `world.jobs.start`.
 */
export async function emailTo(
  { world }: TestService,
  recipient: string,
  subject: RegExp,
): Promise<string> {
  const deadline = performance.now() + PATIENCE_MS
  while (performance.now() < deadline) {
    // A queued email may be the later one.
    const isComing = await world.db.maybe(sql`select 1 from emails where sent_at is null`)
    const emails = await world.db.rows<{ subject: string; text: string }>(sql`
      select subject, text from dev_mailbox where recipient = ${recipient}
      order by sent_at desc, message_id desc`)
    const message = emails.find((each) => subject.test(each.subject))
    if (message && !isComing) return message.text
    await new Promise((resolve) => setTimeout(resolve, PAUSE_MS))
  }
  const unsent = await world.db.rows(sql`select kind, attempts, error from emails
    where sent_at is null`)
  const waiting = JSON.stringify(unsent)
  throw new Error(`no email to ${recipient} with the subject ${subject} came; unsent: ${waiting}`)
}

/** The path of the link in an email with this purpose. */
export function linkIn(message: string, purpose: string): string {
  const url = new RegExp(`https?://\\S+(/link/${purpose}/\\S+)`).exec(message)
  if (!url) throw new Error(`no link to ${purpose} in the email:\n${message}`)
  return url[1]!
}

/** Asserts that an email contains all of these texts, word for word. */
export function assertContains(message: string, ...parts: string[]): void {
  for (const each of parts) assert.ok(message.includes(each), `no "${each}" in:\n${message}`)
}
