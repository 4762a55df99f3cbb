import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { owedByCharge } from '#flows/charge-balances'
import { findContinuable } from '#flows/checkout'
import { nextCharge } from '#flows/subscription'
import { appTime, type World } from '#flows/world'
import { manageUrl } from '#http/guards/license'
import { chargedOf } from '#http/invoice-lines'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import {
  type Id,
  type IdPrefix,
  type InvoiceId,
  type LicenseId,
  parseId,
  type RefundId,
} from '#platform/ids'
import type { Locale } from '#platform/language/locale'
import type { Attachment } from '#platform/mail'
import {
  givenPlanEnded,
  invoicePaid,
  licenseEnded,
  licenseReinstated,
  licenseSuspended,
  type PlanFacts,
  paymentFailed,
  refundIssued,
  refundReturned,
  subscriptionCanceled,
} from './buyer-templates.ts'
import { renewalReminder, trialEnding } from './charge-reminders.ts'
import { writeExcessRepaid, writeExcessWaived, writePaidOtherwise } from './excess.ts'
import { invoiceAttachment } from './invoice-pdf.ts'
import { writePurchaseReceipt, writeReplacedKey, writeUncharged } from './purchase-receipt.ts'
import { importEnding } from './receipt-template.ts'
import { type EmailContent, type EmailWriters, soldBy, type WrittenEmail } from './template.ts'
import { upcomingCharge } from './upcoming-charge.ts'
import { usesCard } from './upcoming-text.ts'

/** The billing emails to a buyer. A writer returns undefined if its email is out of date. */
export const BUYER_EMAILS = {
  receipt: withSubjectId('inv', writeReceipt),
  payment_failed: withSubjectId('lic', writePaymentFailed),
  plan_given: withSubjectId('lic', (world, id) => writeUncharged(world, id, 'given')),
  license_imported: withSubjectId('lic', (world, id) => writeUncharged(world, id, 'imported')),
  import_ending: withSubjectId('lic', writeImportEnding),
  key_replaced: withSubjectId('lic', writeReplacedKey),
  subscription_canceled: withSubjectId('lic', writeCanceled),
  license_ended: withSubjectId('lic', writeLicenseEnded),
  license_suspended: withSubjectId('lic', writeSuspended),
  license_reinstated: withSubjectId('lic', writeReinstated),
  trial_ending: withSubjectId('lic', writeTrialEnding),
  renewal_reminder: withSubjectId('lic', writeRenewalReminder),
  refund_issued: withSubjectId('ref', writeRefund),
  refund_returned: withSubjectId('ref', writeReturned),
  given_plan_ended: withSubjectId('lic', writeGivenPlanEnded),
  excess_repaid: withSubjectId('exr', writeExcessRepaid),
  excess_waived: withSubjectId('wof', writeExcessWaived),
  paid_otherwise: withSubjectId('bpy', writePaidOtherwise),
} satisfies Partial<EmailWriters<EmailTemplate>>

function withSubjectId<Prefix extends IdPrefix>(
  prefix: Prefix,
  write: (world: World, id: Id<Prefix>) => Promise<WrittenEmail | undefined>,
) {
  return async (world: World, { subject_id }: StoredEmail) =>
    await write(world, parseId(prefix, subject_id))
}

/** A license with everything that emails about it need. */
interface LicenseEmailFacts {
  license: licensing.PausableLicense
  subscription: billing.RunningSubscription | undefined
  app: apps.App
  email: string
  plan: PlanFacts
}

async function factsOf(
  { db, config, languages }: World,
  license_id: LicenseId,
): Promise<LicenseEmailFacts> {
  const license = await licensing.getPausable(db, license_id)
  const app = await apps.get(db, license.app_id)
  const { email, language } = await identity.getUser(db, license.user_id)
  const locale = languages.named(language)
  const product_name = await catalog.productName(db, license.product_id)
  const manage_url = `${config.base_url}${manageUrl(app.id)}`
  const sold_by = soldBy(config.operator, app.name, locale)
  const plan = { app_name: app.name, product_name, manage_url, sold_by, locale }
  const subscription = await billing.subscriptionOf(db, license_id)
  return { license, subscription, app, email, plan }
}

/** An email about a license to its buyer, in their language. */
function toBuyer(
  { email, plan }: Pick<LicenseEmailFacts, 'email' | 'plan'>,
  content: EmailContent,
  attachments: Attachment[] = [],
): WrittenEmail {
  return { to: [email], locale: plan.locale, content, attachments }
}

async function cardOf(
  { db }: World,
  { card_id }: billing.Subscription,
  locale: Locale,
): Promise<string> {
  return payments.cardName(await payments.getCard(db, card_id), locale)
}

/** The receipt of an invoice; for a purchase it shows the key. */
async function writeReceipt(world: World, invoice_id: InvoiceId): Promise<WrittenEmail> {
  const order = await billing.orderOfInvoice(world.db, invoice_id)
  if (order) return await writePurchaseReceipt(world, order)
  const receipt = (await billing.findReceipt(world.db, invoice_id))!
  const facts = await factsOf(world, receipt.license_id)
  const { app_name, product_name } = receipt
  const upcoming = await upcomingCharge(world, receipt.license_id)
  const is_charged = usesCard(chargedOf(receipt), upcoming)
  const sold_by = soldBy(world.config.operator, app_name, facts.plan.locale, { is_charged })
  const content = invoicePaid(receipt, { ...facts.plan, app_name, product_name, sold_by }, upcoming)
  return toBuyer(facts, content, [await invoiceAttachment(world, receipt)])
}

async function writePaymentFailed(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const facts = await factsOf(world, license_id)
  const { license, subscription, plan } = facts
  const { status } = license
  const next = await nextCharge(world, license_id)
  const since = subscription?.past_due_since
  if (!subscription || !since || next?.why !== 'owed') return undefined
  const code = subscription.last_decline as payments.DeclineCode | null
  const content = paymentFailed(plan, {
    total: next.total,
    card: await cardOf(world, subscription, plan.locale),
    declined: code ? payments.declineSentence(code, plan.locale) : undefined,
    needs_other_card: payments.needsOtherCard(code),
    retry_at: billing.retryAt(subscription),
    gives_up_at: billing.dunningEnd(since),
    is_last: status === 'unpaid',
  })
  return toBuyer(facts, content)
}

async function writeCanceled(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const facts = await factsOf(world, license_id)
  const { plan } = facts
  const { status, canceled_at } = facts.license
  // The cancellation was undone before this was written.
  if (canceled_at === null) return undefined
  const ends_at = status === 'canceled' ? null : canceled_at
  const keep_url = `${plan.manage_url}auto-renew/`
  const is_paying = await payments.isPaymentPendingForLicense(world.db, license_id)
  return toBuyer(facts, subscriptionCanceled(plan, { ends_at, keep_url, is_paying }))
}

/** The address of an app's product page, if it has one. */
function productUrl({ config }: World, app: apps.App): string | undefined {
  const path = apps.productPath(app)
  return path && `${config.base_url}${path}`
}

async function writeLicenseEnded(world: World, license_id: LicenseId): Promise<WrittenEmail> {
  const facts = await factsOf(world, license_id)
  return toBuyer(facts, licenseEnded(facts.plan, productUrl(world, facts.app)))
}

async function writeSuspended(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const facts = await factsOf(world, license_id)
  const isSuspended = facts.license.paused_for === 'staff'
  return isSuspended ? toBuyer(facts, licenseSuspended(facts.plan)) : undefined
}

async function writeReinstated(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const facts = await factsOf(world, license_id)
  const { license, subscription, plan } = facts
  if (license.status === 'paused' || license.status === 'canceled') return undefined
  const renews = subscription?.auto_renew === true
  return toBuyer(facts, licenseReinstated(plan, { renews }))
}

async function writeGivenPlanEnded(world: World, license_id: LicenseId): Promise<WrittenEmail> {
  const facts = await factsOf(world, license_id)
  const how = facts.license.origin === 'import' ? 'imported' : 'given'
  const product_url = productUrl(world, facts.app)
  return toBuyer(facts, givenPlanEnded(facts.plan, { product_url, how }))
}

async function writeTrialEnding(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const facts = await factsOf(world, license_id)
  const { license, subscription, plan } = facts
  if (!subscription || license.status !== 'trialing') return undefined
  const content = trialEnding(plan, {
    day: subscription.period_end,
    upcoming: await upcomingCharge(world, license_id),
    auto_renew_url: `${plan.manage_url}auto-renew/`,
  })
  return toBuyer(facts, content)
}

async function writeRenewalReminder(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const facts = await factsOf(world, license_id)
  const { license, subscription, app, plan } = facts
  const upcoming = await upcomingCharge(world, license_id)
  // The owner canceled, or the license is suspended, since this was queued.
  if (!subscription || !upcoming || license.status !== 'active') return undefined
  // The mail server was away until the year had renewed.
  const due = billing.remindedAt('active', subscription)
  if (!due || due > appTime(world, app)) return undefined
  const content = renewalReminder(plan, {
    upcoming,
    auto_renew_url: `${plan.manage_url}auto-renew/`,
  })
  return toBuyer(facts, content)
}

async function writeImportEnding(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const facts = await factsOf(world, license_id)
  const { license, app, plan } = facts
  const { user_id } = license
  const continuable = await findContinuable(world, app, { license, user_id })
  return continuable && toBuyer(facts, importEnding(plan, continuable.paid_until))
}

/** A refund, with the receipt of its payment and what emails about it need. */
async function refundFacts(world: World, refund_id: RefundId) {
  const { db } = world
  const refund = await payments.getRefund(db, refund_id)
  const { invoice_id } = await payments.getCharge(db, refund.charge_id)
  const receipt = (await billing.findReceipt(db, invoice_id))!
  const facts = await factsOf(world, receipt.license_id)
  const { app_name, product_name } = receipt
  return { refund, receipt, facts, plan: { ...facts.plan, app_name, product_name } }
}

async function writeRefund(world: World, refund_id: RefundId): Promise<WrittenEmail | undefined> {
  const { refund, receipt, facts, plan } = await refundFacts(world, refund_id)
  if (refund.status === 'failed' || refund.status === 'refused') return undefined
  const has_ended = facts.license.status === 'canceled'
  const { amount, tax } = refund
  const is_pending = refund.status === 'pending'
  const content = refundIssued(receipt, plan, { amount, tax, is_pending, has_ended })
  return toBuyer(facts, content, [await invoiceAttachment(world, receipt)])
}

/** Undefined if the buyer is no longer owed anything of the payment. */
async function writeReturned(world: World, refund_id: RefundId): Promise<WrittenEmail | undefined> {
  const { refund, receipt, facts, plan } = await refundFacts(world, refund_id)
  const owed = await owedByCharge(world.db, receipt.user_id)
  const part = owed.find(({ charge_id }) => charge_id === refund.charge_id)
  if (!part) return undefined
  const help_url = `${world.config.base_url}/help/`
  return toBuyer(facts, refundReturned(receipt, plan, { amount: part.amount, help_url }))
}
