import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import { quoteRefund, type RefundQuote, refundCharge } from '#flows/refund'
import type { World } from '#flows/world'
import { type FormFault, faultsIn } from '#http/form-errors'
import {
  requireSellerOrStaff,
  type SalesContext,
  SIDES,
  type Side,
} from '#http/guards/seller-or-staff'
import { requireRecentProof } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { reasonFault } from '#http/reason'
import type { Limit } from '#platform/limits'
import { formatAmount, readAmount, ZERO } from '#platform/money'
import { viewedInvoice } from './invoice.ts'
import { refusalMessage } from './labels.ts'
import { type RefundForm, RefundPage } from './refund-page.tsx'
import { actorOf, pageFacts } from './sales-context.ts'

const REFUNDS: Limit = { name: 'refunds', points: 120, seconds: 3600 }

const NEEDED = { seller: 'support', staff: 'refunds' } as const

/** Refunds: a form, then the exact amounts, which are refunded as shown. */
export function declareRefund(scope: FastifyInstance, world: World, side: Side): void {
  const path = `${SIDES[side]}/sales/:invoice_id/refund`

  scope.get(path, async (request, reply) => {
    const context = await requireSellerOrStaff(world, request, reply, side, NEEDED)
    requireRecentProof(world, context)
    const { id: invoice_id } = await viewedInvoice(world, context)
    const quote = await quoteRefund(world, actorOf(context), { invoice_id })
    const whole = 'reversal' in quote ? formatAmount(quote.left) : ''
    const amount = queryOf(request, 'amount') ?? whole
    const reason = queryOf(request, 'reason') ?? ''
    const credit = queryOf(request, 'credit') === 'yes'
    return await show(world, context, { form: { amount, reason, credit } })
  })

  scope.post(path, async (request, reply) => {
    const context = await requireSellerOrStaff(world, request, reply, side, NEEDED)
    const { step, seen, ...fields } = formOf(request)
    const form = {
      amount: (fields.amount ?? '').trim(),
      reason: (fields.reason ?? '').trim(),
      credit: fields.credit === 'yes',
    }
    const amount = readAmount(form.amount)
    if (amount === undefined || reasonFault(form.reason)) {
      return await show(world, context, { form })
    }
    requireRecentProof(world, context, filledIn(request.url, fields))
    const { id: invoice_id } = await viewedInvoice(world, context)
    const actor = actorOf(context)
    const quote = await quoteRefund(world, actor, { invoice_id, amount })
    const isSeen = 'reversal' in quote && seen === seenOf(quote) && !creditFault(form, quote)
    if (step !== 'confirm' || !isSeen) {
      return await show(world, context, { form, has_changed: step === 'confirm' })
    }
    await limitPage(world, REFUNDS, context.session.user_id, reply)
    const { reason, credit: with_credit } = form
    const seen_credit = quote.credit?.reversal.amount ?? ZERO
    const requested = {
      invoice_id,
      amount,
      seen_left: quote.left,
      with_credit,
      seen_credit,
      reason,
    }
    const done = await refundCharge(world, actor, requested)
    // Another refund was faster: shows what is left.
    if (done.outcome === 'refused') return await show(world, context, { form, has_changed: true })
    return redirectTo(reply, `${context.base}/sales/${invoice_id}/?done=${done.outcome}`)
  })
}

/** The page's path with the form as filled in. */
function filledIn(here: string, fields: Record<string, string>): string {
  const { amount = '', reason = '', credit = '' } = fields
  return `${here}?${new URLSearchParams({ amount, reason, credit })}`
}

/** A digest of what a quote shows. */
function seenOf({ left, reversal, cost, ends_license, credit }: RefundQuote): string {
  const shown = [
    left,
    reversal.amount,
    reversal.tax,
    reversal.fee,
    cost,
    ends_license,
    credit?.reversal.amount,
  ]
  return shown.join('.')
}

/** The credit can only be refunded with the upgrade's full remaining amount. */
function creditFault({ credit }: RefundForm, quote: RefundQuote): string | undefined {
  if (!credit || quote.credit) return undefined
  return 'The credit can be refunded only with the full remaining amount of this payment.'
}

/** The form has no field for a credit that it no longer offers. */
const CREDIT_GONE =
  'The credit from the previous plan can no longer be refunded with this payment: a later ' +
  'payment was charged, or the credit was refunded or disputed. Review the refund without it.'

/** Shows the form with its error, or what would be refunded. */
async function show(
  world: World,
  context: SalesContext,
  { form, has_changed = false }: { form: RefundForm; has_changed?: boolean },
): Promise<FastifyReply> {
  const invoice = await viewedInvoice(world, context)
  const app = context.app ?? (await apps.get(world.db, invoice.app_id))
  const actor = actorOf(context)
  const facts = { invoice_id: invoice.id }
  const whole = await quoteRefund(world, actor, facts)
  const obstacle = 'refusal' in whole ? refusalMessage(whole, context.as) : undefined
  const isRequested = context.request.method === 'POST' && !obstacle
  const amount = readAmount(form.amount)
  const quote =
    isRequested && amount !== undefined
      ? await quoteRefund(world, actor, { ...facts, amount })
      : whole
  const faults = isRequested ? faultsOf(form, { whole, quote }, context.as) : []
  const page = RefundPage({
    ...pageFacts(world, context, app),
    invoice,
    form,
    faults,
    left: whole.left,
    credit: 'reversal' in whole ? (whole.credit?.reversal.amount ?? ZERO) : ZERO,
    obstacle,
    quote: isRequested && faults.length === 0 && 'reversal' in quote ? quote : undefined,
    seen: 'reversal' in quote ? seenOf(quote) : '',
    has_changed,
  })
  return sendPage(context.reply, page, {
    status: faults.length > 0 ? 422 : has_changed ? 409 : 200,
  })
}

type Quoted = Awaited<ReturnType<typeof quoteRefund>>

/** What is wrong with a form: `whole` quotes the full refund, `quote` that of its amount. */
function faultsOf(
  form: RefundForm,
  { whole, quote }: { whole: Quoted; quote: Quoted },
  as: Side,
): FormFault[] {
  const stated = 'refusal' in quote ? quote : undefined
  const no_amount = { refusal: 'not_an_amount', left: quote.left } as const
  const refused = readAmount(form.amount) === undefined ? no_amount : stated
  const offersCredit = 'credit' in whole && whole.credit !== undefined
  return faultsIn([
    ['amount', refused && refusalMessage(refused, as)],
    ['reason', reasonFault(form.reason)],
    ['amount', form.credit && !offersCredit && CREDIT_GONE],
    ['credit', offersCredit && 'reversal' in quote && creditFault(form, quote)],
  ])
}
