import type { World } from '#flows/world'
import { EMAIL_QUEUE, findUnsent, markSent, type QueuedEmail } from '#platform/email-queue'
import { isAccountEmail, writeAccountEmail } from './account.ts'
import { isMoneyEmail, writeMoneyEmail } from './money.ts'
import { isPayeeEmail, writePayeeEmail } from './payee.ts'
import { emailHtml, emailText, footerOf } from './render.tsx'
import { isSellerEmail, writeSellerEmail } from './seller.ts'
import type { WrittenEmail } from './template.ts'

/** Sends queued emails. An email's words and links are made at that moment and kept nowhere. */
export function emailWorker(world: World): void {
  const footer = footerOf(world.config)
  world.jobs.handle<{ email_id: string }>(EMAIL_QUEUE, async ({ email_id }) => {
    const email = await findUnsent(world.db, email_id)
    if (!email) return
    const written = await write(world, email)
    const now = world.clock.now()
    if (written) {
      await world.mailer.send(now, {
        message_id: `<${email.id}@${new URL(world.config.base_url).hostname}>`,
        to: written.to,
        subject: written.words.subject,
        html: emailHtml(written.words, footer),
        text: emailText(written.words, footer),
        attachments: written.attachments ?? [],
      })
    }
    await markSent(world.db, now, email.id)
  })
}

async function write(
  world: World,
  email: Required<QueuedEmail>,
): Promise<WrittenEmail | undefined> {
  if (isAccountEmail(email.kind)) return await writeAccountEmail(world, email)
  if (isMoneyEmail(email.kind)) return await writeMoneyEmail(world, email)
  if (isPayeeEmail(email.kind)) return await writePayeeEmail(world, email)
  if (isSellerEmail(email.kind)) return await writeSellerEmail(world, email)
  throw new Error(`there is no email of the kind ${email.kind}`)
}
