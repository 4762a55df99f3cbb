import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { pageOfSeller } from '#http/guards/named-seller'
import type { Db } from '#platform/db'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import {
  type DisputeId,
  type PayeeId,
  type PayoutId,
  parseId,
  parsePayeeId,
  readId,
} from '#platform/ids'
import { cents } from '#platform/money'
import {
  bankChanged,
  type DisputeFacts,
  disputeClosed,
  disputeOpened,
  inquiryClosed,
  payoutFailed,
  payoutPaid,
  refundedByUs,
} from './payee-templates.ts'
import type { EmailWriters, WrittenEmail } from './template.ts'

/** The emails about money to a seller or an affiliate. */
export const PAYEE_EMAILS = {
  dispute_opened: writeOpened,
  dispute_closed: writeClosed,
  payout_paid: writePaid,
  payout_failed: writeFailed,
  bank_changed: writeBankChanged,
  refund_by_us: writeRefundByUs,
} satisfies Partial<EmailWriters<EmailTemplate>>

interface Disputed {
  to: string[]
  status: payments.Dispute['status']
  facts: DisputeFacts
}

async function disputedOf({ db, config }: World, id: DisputeId): Promise<Disputed> {
  const dispute = (await payments.findDisputeOf(db, { id, app_id: null }))!
  const receipt = (await billing.findReceipt(db, dispute.invoice_id))!
  const app = await apps.get(db, receipt.app_id)
  const { seller_id } = receipt
  const to = await sellers.recipientsOf(db, seller_id, { permission: 'support' })
  // A former seller of the app views this sale, but cannot submit evidence.
  const page =
    seller_id === app.seller_id ? `/dashboard/apps/${app.slug}/sales/${receipt.id}/` : '/help/'
  const { amount, tax, owed, reason, due_at, status } = dispute
  const license = await licensing.getLicense(db, receipt.license_id)
  const facts = {
    app_name: receipt.app_name,
    product_name: receipt.product_name,
    buyer_email: receipt.email,
    amount,
    seller_amount: cents(amount - owed - tax),
    cost: billing.DISPUTE_COST,
    reason,
    due_at,
    license_status: license.status,
    is_transferred: seller_id !== app.seller_id,
    url: `${config.base_url}${page}`,
  }
  return { to, status, facts }
}

async function writeOpened(
  world: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail | undefined> {
  const { to, status, facts } = await disputedOf(world, parseId('dsp', subject_id))
  if (status !== 'inquiry' && status !== 'open') return undefined
  return { to, content: disputeOpened(facts, status === 'inquiry') }
}

async function writeClosed(
  world: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail | undefined> {
  const { to, status, facts } = await disputedOf(world, parseId('dsp', subject_id))
  if (status === 'inquiry_closed') return { to, content: inquiryClosed(facts) }
  if (status !== 'won' && status !== 'lost') return undefined
  return { to, content: disputeClosed(facts, status) }
}

/**
 * A refund that the card returned since then was deducted as well. A former seller of the app views
 * the sale under its present address.
 */
async function writeRefundByUs(
  { db, config }: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail> {
  const refund = await payments.getRefund(db, parseId('ref', subject_id))
  const { invoice_id } = await payments.getCharge(db, refund.charge_id)
  const receipt = (await billing.findReceipt(db, invoice_id))!
  const { slug } = await apps.get(db, receipt.app_id)
  const to = await sellers.recipientsOf(db, receipt.seller_id, { permission: 'support' })
  const license = await licensing.getLicense(db, receipt.license_id)
  const { amount, tax, fee, reason } = refund
  const content = refundedByUs({
    app_name: receipt.app_name,
    product_name: receipt.product_name,
    buyer_email: receipt.email,
    invoice_number: billing.invoiceNumber(receipt.number),
    amount,
    cost: cents(amount - tax - fee),
    reason,
    has_ended: license.status === 'canceled',
    url: `${config.base_url}/dashboard/apps/${slug}/sales/${receipt.id}/`,
  })
  return { to, content }
}

async function payoutOf({ db, config }: World, id: PayoutId) {
  const payout = (await payouts.findPayout(db, id))!
  const { owner, number, amount, bank, failure, status, was_refused } = payout
  const { to, seller_name } = await recipientsOf(db, owner)
  const seller_id = readId('sel', owner)
  const page = seller_id
    ? pageOfSeller(`/dashboard/payouts/${id}/`, seller_id)
    : `/affiliate/payouts/${id}/`
  const url = `${config.base_url}${page}`
  return { to, status, facts: { number, seller_name, amount, bank, failure, was_refused, url } }
}

async function writePaid(
  world: World,
  { subject_id }: StoredEmail,
): Promise<WrittenEmail | undefined> {
  const { to, status, facts } = await payoutOf(world, parseId('po', subject_id))
  // The bank returned it before this was written.
  if (status === 'failed') return undefined
  return { to, content: payoutPaid(facts) }
}

async function writeFailed(world: World, { subject_id }: StoredEmail): Promise<WrittenEmail> {
  const { to, facts } = await payoutOf(world, parseId('po', subject_id))
  return { to, content: payoutFailed(facts) }
}

async function writeBankChanged(
  { db, config }: World,
  { subject_id, facts }: StoredEmail<'bank_changed'>,
): Promise<WrittenEmail> {
  const { to, seller_name } = await recipientsOf(db, parsePayeeId(subject_id))
  const security_url = `${config.base_url}/account/security/`
  return { to, content: bankChanged(facts, { seller_name, security_url }) }
}

/** The members of a seller who see its payouts, with its name, or the affiliate. */
async function recipientsOf(
  db: Db,
  owner: PayeeId,
): Promise<{ to: string[]; seller_name: string | null }> {
  const { email, name } = await payouts.payeeFacts(db, owner)
  const seller_id = readId('sel', owner)
  if (!seller_id) return { to: [email], seller_name: null }
  const to = await sellers.recipientsOf(db, seller_id, { permission: 'payouts' })
  return { to, seller_name: name }
}
