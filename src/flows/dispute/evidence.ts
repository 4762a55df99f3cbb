import { formatMoney } from '#design/money'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { lockOwnListing } from '#flows/app-access'
import { appTime, type World } from '#flows/world'
import { type ActorOf, audit, concerning } from '#platform/audit'
import { isoDate } from '#platform/calendar'
import { sentEmails } from '#platform/email-queue'
import type { DisputeId } from '#platform/ids'
import { sum } from '#platform/money'
import { appTimes } from './app-times.ts'

/** The outcome of submitting evidence. */
export type EvidenceSent =
  | 'sent'
  /** The dispute is decided, or its due date has passed. */
  | 'closed'
  /** The processor did not answer: whether it was received is unknown, and it may be sent again. */
  | 'unreachable'

/** Assembles the evidence for a disputed charge: what the service recorded, and a statement. */
export async function assembleEvidence(
  world: World,
  dispute_id: DisputeId,
  statement = '',
): Promise<payments.Evidence> {
  const { db } = world
  const dispute = (await payments.findDisputeOf(db, { id: dispute_id, app_id: null }))!
  const invoice = (await billing.findReceipt(db, dispute.invoice_id))!
  const order = (await billing.orderDetails(db, invoice.order_id))!
  const app = await apps.get(db, invoice.app_id)
  const { app_name, product_name } = invoice
  const card = payments.cardName(await payments.cardOfCharge(db, dispute.charge_id))
  const facts = { invoice, order, card }
  return payments.writeEvidence({
    email: order.email,
    app_name,
    product_name,
    period_start: invoice.period_start,
    period_end: invoice.period_end,
    terms: termsOf(order),
    refund_policy: policyOf(world, app_name),
    receipt: receiptOf(world, facts),
    activity: await activityOf(world, facts, app),
    statement,
  })
}

/** What was bought and done, by the app's clock, which dates what it sells and how it is used. */
async function activityOf(
  world: World,
  facts: Bought,
  app: apps.App,
): Promise<payments.ActivityEvent[]> {
  const invoices = await billing.paidInvoicesOfLicense(world.db, facts.invoice.license_id)
  const timeOf = await appTimes(world, app)
  const byService = [
    ...(await receiptsSent(world, facts, invoices)),
    ...(await buyerActivityOf(world, facts.invoice, app)),
  ]
  return [
    ...purchasesOf(facts, invoices),
    ...byService.map(({ at, until, what }) => ({
      at: timeOf(at),
      ...(until ? { until: timeOf(until) } : {}),
      what,
    })),
    ...(await usesOf(world, facts.invoice)),
  ]
}

/** What the buyer agreed to when paying. */
function termsOf({ amount, tax, frequency, created_at }: billing.OrderDetails): string[] {
  const total = formatMoney(sum(amount, tax))
  const renewal =
    frequency === null
      ? 'as a one-time payment.'
      : `renewing every ${frequency} at the same price plus tax until canceled.`
  return [
    `On ${isoDate(created_at)} the buyer reviewed and confirmed a total of ${total}, ${renewal}`,
  ]
}

function policyOf({ config }: World, app_name: string): string {
  return (
    `Refunds: the seller of ${app_name} can refund a payment for 60 days, and we can at any time. ` +
    `The policy at ${config.base_url}/refunds/ is linked from every page of the checkout.`
  )
}

interface Bought {
  invoice: billing.Receipt
  order: billing.OrderDetails
  card: string
}

function receiptOf({ config }: World, { invoice, order, card }: Bought): string {
  const { legal_name } = config.operator
  return [
    `Receipt ${billing.invoiceNumber(invoice.number)} of ${legal_name}, merchant of record`,
    `Order ${order.id}, ${isoDate(invoice.paid_at)}`,
    `Buyer: ${order.email}`,
    `${invoice.app_name} ${invoice.product_name}: ${formatMoney(invoice.amount)}`,
    `Sales tax (${order.state}): ${formatMoney(invoice.tax)}`,
    `Total: ${formatMoney(sum(invoice.amount, invoice.tax))}, paid with ${card}`,
  ].join('\n')
}

/** What was bought and paid. */
function purchasesOf(
  { invoice, order, card }: Bought,
  invoices: billing.PaidInvoice[],
): payments.ActivityEvent[] {
  return [
    { at: order.created_at, what: `The buyer confirmed the order and paid with ${card}.` },
    ...invoices.map(({ id, number, paid_at, amount, tax }) => ({
      at: paid_at,
      what:
        `Invoice ${billing.invoiceNumber(number)} of ${formatMoney(sum(amount, tax))} was paid` +
        `${id === invoice.id ? ': the disputed charge.' : ', and is not disputed here.'}`,
    })),
  ]
}

/** The receipts that were sent. */
async function receiptsSent(
  { db }: World,
  { order }: Bought,
  invoices: billing.PaidInvoice[],
): Promise<payments.ActivityEvent[]> {
  const causes = [`receipt:${order.invoice_id}`, ...invoices.map(({ id }) => `receipt:${id}`)]
  const what = `A receipt was sent to ${order.email}.`
  return (await sentEmails(db, causes)).map(({ sent_at }) => ({ at: sent_at, what }))
}

const USES: Record<licensing.UseKind, string> = {
  key_shown: 'The license key was shown to the buyer',
  order_read: 'The buyer returned to the app, whose server fetched the license',
  key_checked: 'The server of the app checked the license key',
  plan_checked: 'The app checked the plan of the buyer, who was signed in',
}

/** How the license was used. */
async function usesOf(
  { db }: World,
  { license_id }: billing.Invoice,
): Promise<payments.ActivityEvent[]> {
  return (await licensing.usesOf(db, license_id)).map(({ kind, count, network, ...use }) => ({
    at: use.first_at,
    until: use.last_at,
    what: `${USES[kind]}${count > 1 ? `, ${count} times` : ''} (network ${network}).`,
  }))
}

/** What the buyer did on the service's pages, and when they signed in to the app. */
async function buyerActivityOf(
  { db, clock }: World,
  { user_id }: billing.Invoice,
  app: apps.App,
): Promise<payments.ActivityEvent[]> {
  const user = await identity.getUser(db, user_id)
  const { client_id } = await apps.getClientOf(db, app.id)
  const { agreed_at, signed_in_at } = await grants.signInsOf(db, { user_id, client_id })
  const dated = (dates: (Date | null)[], what: string) =>
    dates.filter((at) => at !== null).map((at) => ({ at, what }))
  return [
    ...dated(
      [user.email_verified_at],
      'The buyer confirmed the email address with a link that we sent.',
    ),
    ...dated(
      await identity.linksUsed(db, user_id),
      'A link that we sent to the email address was used.',
    ),
    ...dated([agreed_at], `The buyer agreed to sign in to ${app.name} with our service.`),
    ...dated(signed_in_at, `The buyer signed in to ${app.name}.`),
    ...(await identity.listSessions(db, clock.now(), user_id)).map((session) => ({
      at: session.created_at,
      until: session.last_seen_at,
      what: `The buyer was signed in on our pages (${session.browser}, network ${session.network}).`,
    })),
  ]
}

/**
 * Submits the evidence; submitted again, it replaces what was sent before. Throws `not_found` for a
 * member of a seller who transferred the app since the request was authorized (decision 100).
 */
export async function sendEvidence(
  world: World,
  actor: ActorOf<'seller' | 'staff'>,
  facts: { dispute_id: DisputeId; statement: string },
): Promise<EvidenceSent> {
  const { db, processor } = world
  const { dispute_id: id, statement } = facts
  const dispute = (await payments.findDisputeOf(db, { id, app_id: null }))!
  const { app_id, seller_id } = await billing.getInvoice(db, dispute.invoice_id)
  const now = appTime(world, await apps.get(db, app_id))
  if (dispute.closed_at || dispute.due_at <= now) return 'closed'
  const evidence = await assembleEvidence(world, id, statement)
  const { processor_dispute_id: dispute_id } = dispute
  // A transfer that is being recorded is waited for; the processor is asked without a lock.
  if (actor.kind === 'seller') await db.tx((tx) => lockOwnListing(tx, actor, app_id))
  try {
    await processor.answerDispute(now, { dispute_id, evidence })
  } catch (error) {
    if (error instanceof payments.DisputeClosed) return 'closed'
    if (error instanceof payments.ProcessorUnreachable) return 'unreachable'
    throw error
  }
  await db.tx(async (tx) => {
    await payments.recordEvidence(tx, now, { id, evidence })
    const sent = { action: 'dispute.evidence_sent', subject: id } as const
    await audit(tx, now, { actor: concerning(actor, seller_id), ...sent })
  })
  return 'sent'
}
