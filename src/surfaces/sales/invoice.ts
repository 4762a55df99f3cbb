import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import { isPermitted } from '#domain/identity'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { quoteRefund, type RefundRefusal } from '#flows/refund'
import type { World } from '#flows/world'
import { noteFor } from '#http/action-note'
import { membershipOf } from '#http/guards/seller'
import {
  requireViewerOfInvoice,
  type SalesContext,
  SIDES,
  type Side,
} from '#http/guards/seller-or-staff'
import { paramsOf, requireId } from '#http/input'
import { sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import type { SellerId } from '#platform/ids'
import { InvoicePage, type InvoicePageFacts } from './invoice-page.tsx'
import { refusalMessage } from './labels.ts'
import { actorOf, pageFacts } from './sales-context.ts'

/** Refusals that the rest of the page does not explain. */
const OBSTACLES: readonly RefundRefusal[] = [
  'sold_before_transfer',
  'too_late',
  'disputed',
  'in_progress',
  'payment_pending',
]

const NEEDED = { seller: 'view', staff: 'sales' } as const

/** The page of an invoice. */
export function declareInvoice(scope: FastifyInstance, world: World, side: Side): void {
  scope.get(`${SIDES[side]}/sales/:invoice_id/`, async (request, reply) => {
    const context = await requireViewerOfInvoice(world, request, reply, side, NEEDED)
    const { db } = world
    const { is_former = false } = context
    const invoice = await viewedInvoice(world, context)
    const app = context.app ?? (await apps.get(db, invoice.app_id))
    const charge = await payments.chargeOf(db, invoice.id)
    const refunds = charge ? await payments.refundsOf(db, charge.id) : []
    const disputes = charge ? await payments.disputesOf(db, charge.id) : []
    const reissues = charge ? await payments.reissuesOf(db, charge.id) : []
    const subjects = [invoice.id, ...[...refunds, ...reissues, ...disputes].map(({ id }) => id)]
    const entries = await ledger.entriesOf(db, subjects)
    const transactions = [...new Set(entries.map(({ transaction_id }) => transaction_id))]
    const paidOut = await payouts.payoutsOfTransactions(db, transactions)
    const earner = is_former ? invoice.seller_id : app.seller_id
    const may = await permissionsIn(world, context, { seller_id: earner })
    const { role } = context
    const quote = await quoteRefund(world, actorOf(context), { invoice_id: invoice.id })
    const mayRefund = role ? isPermitted(role, 'refunds') : may('support')
    const refused = 'refusal' in quote ? quote : undefined
    const page = InvoicePage({
      ...pageFacts(world, context, app),
      app_name: app.name,
      invoice,
      lines: (await billing.getInvoice(db, invoice.id)).lines,
      charge: charge && {
        id: charge.id,
        card: payments.cardName(await payments.cardOfCharge(db, charge.id)),
      },
      refunds,
      paid_otherwise: charge ? await ledger.paidOtherwiseFor(db, charge.id) : [],
      disputes,
      payouts: paidOut.filter(({ owner }) => role || (owner === earner && may('payouts'))),
      entries,
      is_refundable: 'reversal' in quote && mayRefund,
      refund_obstacle:
        refused && mayRefund && OBSTACLES.includes(refused.refusal)
          ? refusalMessage(refused, context.as)
          : undefined,
      is_former,
      is_earner: context.as === 'seller' && earner === invoice.seller_id,
      opens_disputes: role ? isPermitted(role, 'disputes') : !is_former && may('support'),
      note: noteFor(request, refunds.some(isPending) ? { ...NOTES, refunded: PENDING } : NOTES),
    })
    return sendPage(reply, page)
  })
}

const isPending = ({ status }: payments.Refund) => status === 'pending'

const PENDING: InvoicePageFacts['note'] = {
  tone: 'info',
  text: 'The refund is pending until the buyer’s bank confirms it.',
}

const NOTES: Record<string, InvoicePageFacts['note']> = {
  refunded: {
    tone: 'success',
    text: 'Refunded. The buyer’s bank shows it within 5 to 10 days.',
  },
  processing: {
    tone: 'info',
    text: 'The refund is processing. It completes when the payment processor confirms it.',
  },
  refused_by_processor: {
    tone: 'warning',
    text: 'The payment processor refused this refund. Nothing was refunded.',
  },
}

/** The invoice in the path, if the visitor may see it. */
export async function viewedInvoice(
  { db }: World,
  { request, app }: SalesContext,
): Promise<billing.AppInvoice> {
  const id = requireId('inv', paramsOf('/:invoice_id', request).invoice_id)
  const invoice = await billing.findSellerInvoice(db, { id, app_id: app?.id ?? null })
  if (!invoice) throw refuse('not_found')
  return invoice
}

/**
 * What the visitor's role in a seller includes; for staff who are viewing its pages, that of its
 * owner.
 */
async function permissionsIn(
  world: World,
  context: SalesContext,
  seller: { seller_id: SellerId },
): Promise<(permission: sellers.SellerPermission) => boolean> {
  const member = await membershipOf(world, context, seller)
  return (permission) => member !== undefined && sellers.isAllowed(member.role, permission)
}
