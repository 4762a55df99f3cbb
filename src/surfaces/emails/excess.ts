import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as ledger from '#domain/ledger'
import { owedByBuyer } from '#flows/staff-actions'
import type { World } from '#flows/world'
import { manageUrl } from '#http/guards/license'
import { readDay } from '#platform/calendar'
import type { BuyerPaymentId, ExcessRepaymentId, WriteOffId } from '#platform/ids'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import {
  excessRepaid,
  excessWaived,
  paidOtherwise,
  type SettlementFacts,
} from './excess-templates.ts'
import { invoiceAttachment } from './invoice-pdf.ts'
import type { WrittenEmail } from './template.ts'

/** Writes the email to a buyer whose repayment staff recorded. */
export async function writeExcessRepaid(
  world: World,
  id: ExcessRepaymentId,
): Promise<WrittenEmail> {
  const { db } = world
  const { user_id, reference, paid_on } = (await ledger.findRepayment(db, id))!
  const parts = await settledReceipts(world, id)
  const left = await owedByBuyer(db, user_id)
  return await receiptEmail(world, parts, (facts) =>
    excessRepaid(facts, { arrived_on: readDay(paid_on)!, reference, left }),
  )
}

/**
 * Writes the email to a buyer who keeps the rest of what they received in excess. What turned out
 * not to have reached them is not in it; undefined if that is all of it.
 */
export async function writeExcessWaived(
  world: World,
  id: WriteOffId,
): Promise<WrittenEmail | undefined> {
  const parts = (await settledReceipts(world, id)).flatMap(({ receipt, amount }) => {
    const waived = receipt.settled.find(({ how }) => how === 'waived')?.amount ?? ZERO
    return waived > ZERO ? [{ receipt, amount: cents(Math.min(amount, waived)) }] : []
  })
  return parts.length === 0 ? undefined : await receiptEmail(world, parts, excessWaived)
}

/** Writes the email to a buyer whom staff paid what they were owed, not to their card. */
export async function writePaidOtherwise(world: World, id: BuyerPaymentId): Promise<WrittenEmail> {
  const parts = await withReceipts(world, await ledger.partsOfPayment(world.db, id))
  return await receiptEmail(world, parts, paidOtherwise)
}

interface ReceiptPart {
  receipt: billing.Receipt
  amount: Cents
}

async function settledReceipts(
  world: World,
  id: ExcessRepaymentId | WriteOffId,
): Promise<ReceiptPart[]> {
  return await withReceipts(world, await ledger.partsOfSettlement(world.db, id))
}

async function withReceipts({ db }: World, settled: ledger.SettledPart[]): Promise<ReceiptPart[]> {
  const parts: ReceiptPart[] = []
  for (const { invoice_id, amount } of settled) {
    parts.push({ receipt: (await billing.findReceipt(db, invoice_id))!, amount })
  }
  return parts
}

/** An email to the buyer of these receipts, with the receipts. */
async function receiptEmail(
  world: World,
  parts: ReceiptPart[],
  write: (facts: SettlementFacts) => WrittenEmail['content'],
): Promise<WrittenEmail> {
  const { db, config, languages } = world
  const { user_id, app_id } = parts[0]!.receipt
  const { email, language } = await identity.getUser(db, user_id)
  const locale = languages.named(language)
  const isOneApp = parts.every(({ receipt }) => receipt.app_id === app_id)
  const content = write({
    amount: sum(ZERO, ...parts.map(({ amount }) => amount)),
    parts: parts.map(({ receipt: { number }, amount }) => ({ number, amount })),
    receipts_url: `${config.base_url}${isOneApp ? manageUrl(app_id) : '/account/'}`,
    locale,
  })
  const attachments = parts.map(({ receipt }) => invoiceAttachment(world, receipt))
  return { to: [email], locale, content, attachments: await Promise.all(attachments) }
}
