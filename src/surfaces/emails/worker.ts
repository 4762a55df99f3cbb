import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { EMAIL_QUEUE, findUnsent, markSent, type QueuedEmail } from '#platform/email-queue'
import { isAccountEmail, writeAccountEmail } from './account.ts'
import { invoiceAttachment } from './invoice-pdf.ts'
import { link } from './link.ts'
import { isMoneyEmail, writeMoneyEmail } from './money.ts'
import { isPayeeEmail, writePayeeEmail } from './payee.ts'
import { receipt } from './receipt-template.ts'
import { emailHtml, emailText, footerOf } from './render.tsx'
import { isSellerEmail, writeSellerEmail } from './seller.ts'
import { soldBy, type WrittenEmail } from './template.ts'

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
        attachments: written.papers ?? [],
      })
    }
    await markSent(world.db, now, email.id)
  })
}

async function write(
  world: World,
  email: Required<QueuedEmail>,
): Promise<WrittenEmail | undefined> {
  if (email.kind === 'receipt') return await writeReceipt(world, email.subject_id)
  if (isAccountEmail(email.kind)) return await writeAccountEmail(world, email)
  if (isMoneyEmail(email.kind)) return await writeMoneyEmail(world, email)
  if (isPayeeEmail(email.kind)) return await writePayeeEmail(world, email)
  if (isSellerEmail(email.kind)) return await writeSellerEmail(world, email)
  throw new Error(`there is no email of the kind ${email.kind}`)
}

async function writeReceipt(world: World, order_id: string): Promise<WrittenEmail> {
  const { db, keys, config } = world
  const order = (await billing.tellOrder(db, order_id))!
  const user = (await identity.findUser(db, order.user_id))!
  const license = await licensing.findLicense(db, order.license_id)
  const isUnproven = user.email_verified_at === null
  const of = { user_id: user.id }
  const links = {
    verify_email: isUnproven ? await link(world, 'verify_email', of) : undefined,
    set_password: user.password_hash === null ? await link(world, 'set_password', of) : undefined,
    not_me: order.made_account && isUnproven ? await link(world, 'not_me', of) : undefined,
    manage: `${config.base_url}/manage/${order.app_id}/`,
  }
  const sold_by = soldBy(config.operator, order.app_name)
  const license_key = licensing.showKey(keys, license)
  const words = receipt(order, { license_key, links, sold_by })
  const invoice_id = await billing.purchaseInvoiceOf(db, order_id)
  const paid = invoice_id && (await billing.tellInvoice(db, invoice_id))
  return { to: user.email, words, papers: paid ? [await invoiceAttachment(world, paid)] : [] }
}
