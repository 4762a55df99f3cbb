import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { findUnsent, LETTERS, type Letter, markSent } from '#platform/letters'
import { isAccountLetter, writeAccountLetter } from './account.ts'
import { invoicePaper } from './invoice-paper.ts'
import { link } from './link.ts'
import { footerOf, letterHtml, letterText } from './mail.tsx'
import { isMoneyLetter, writeMoneyLetter } from './money.ts'
import { isPayeeLetter, writePayeeLetter } from './payee.ts'
import { receipt } from './receipt-words.ts'
import { isSellerLetter, writeSellerLetter } from './seller.ts'
import { soldBy, type Written } from './words.ts'

/** Sends queued letters. A letter's words and links are made at that moment and kept nowhere. */
export function letters(world: World): void {
  const footer = footerOf(world.config)
  world.jobs.handle<{ letter_id: string }>(LETTERS, async ({ letter_id }) => {
    const letter = await findUnsent(world.db, letter_id)
    if (!letter) return
    const written = await write(world, letter)
    const now = world.clock.now()
    if (written) {
      await world.mailer.send(now, {
        message_id: `<${letter.id}@${new URL(world.config.base_url).hostname}>`,
        to: written.to,
        subject: written.words.subject,
        html: letterHtml(written.words, footer),
        text: letterText(written.words, footer),
        attachments: written.papers ?? [],
      })
    }
    await markSent(world.db, now, letter.id)
  })
}

async function write(world: World, letter: Required<Letter>): Promise<Written | undefined> {
  if (letter.kind === 'receipt') return await writeReceipt(world, letter.subject_id)
  if (isAccountLetter(letter.kind)) return await writeAccountLetter(world, letter)
  if (isMoneyLetter(letter.kind)) return await writeMoneyLetter(world, letter)
  if (isPayeeLetter(letter.kind)) return await writePayeeLetter(world, letter)
  if (isSellerLetter(letter.kind)) return await writeSellerLetter(world, letter)
  throw new Error(`there is no letter of the kind ${letter.kind}`)
}

async function writeReceipt(world: World, order_id: string): Promise<Written> {
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
  return { to: user.email, words, papers: paid ? [await invoicePaper(world, paid)] : [] }
}
