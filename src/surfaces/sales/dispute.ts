import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { assembleEvidence, sendEvidence } from '#flows/dispute'
import { recordUses } from '#flows/record-uses'
import { appTime, type World } from '#flows/world'
import type { ActionNote } from '#http/action-note'
import {
  requireSellerOrStaff,
  type SalesContext,
  SIDES,
  type Side,
} from '#http/guards/seller-or-staff'
import { formOf, paramsOf, queryOf, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { ownValue } from '#platform/record'
import { textFault } from '#platform/text'
import { DisputePage, submittedAt } from './dispute-page.tsx'
import { actorOf, pageFacts } from './sales-context.ts'

const NEEDED = { seller: 'support', staff: 'disputes' } as const

/** The page of a dispute, and submitting its evidence. */
export function declareDispute(scope: FastifyInstance, world: World, side: Side): void {
  const path = `${SIDES[side]}/disputes/:dispute_id/`
  scope.get(path, async (request, reply) =>
    show(world, await requireSellerOrStaff(world, request, reply, side, NEEDED)),
  )

  scope.post(path, async (request, reply) => {
    const context = await requireSellerOrStaff(world, request, reply, side, NEEDED)
    const dispute = await disputeOf(world, context)
    const redirectBack = (done: string) =>
      redirectTo(reply, `${context.base}/disputes/${dispute.id}/?done=${done}`)
    // Browsers count a line break as one character and send two.
    const statement = (formOf(request).statement ?? '').replaceAll('\r\n', '\n').trim()
    const fault = textFault(statement, { most: payments.MAX_STATEMENT_LENGTH, lines: true })
    if (fault) return await show(world, context, { statement, fault })
    if ((formOf(request).submitted_at ?? '') !== submittedAt(dispute)) {
      // The same form, sent twice.
      if (dispute.evidence?.uncategorized_text === statement) return redirectBack('sent')
      return await show(world, context, { statement, note: 'late' })
    }
    const facts = { dispute_id: dispute.id, statement }
    const done = await sendEvidence(world, actorOf(context), facts)
    if (done === 'unreachable') return await show(world, context, { statement, note: done })
    return redirectBack(done)
  })
}

const NOTES: Record<string, ActionNote> = {
  sent: { tone: 'success', text: 'Evidence submitted. The bank decides within weeks.' },
  late: {
    tone: 'warning',
    text: 'Evidence was submitted since you opened this page, and yours was not sent. Read what was submitted. To replace it, submit again.',
  },
  closed: { tone: 'warning', text: 'The deadline has passed. The bank accepts no more evidence.' },
  unreachable: {
    tone: 'warning',
    text: 'The payment processor did not respond. Submit again in a moment.',
  },
}

async function disputeOf(world: World, { request, app }: SalesContext) {
  const id = requireId('dsp', paramsOf('/:dispute_id', request).dispute_id)
  const dispute = await payments.findDisputeOf(world.db, { id, app_id: app?.id ?? null })
  if (!dispute) throw refuse('not_found')
  // Stores recent counts first, so that they are part of the evidence.
  await recordUses(world)
  return dispute
}

/** The status of a page whose note says why nothing was submitted. */
const NOT_SUBMITTED = { late: 409, unreachable: 503 } as const

async function show(
  world: World,
  context: SalesContext,
  refused: { statement?: string; fault?: string; note?: keyof typeof NOT_SUBMITTED } = {},
): Promise<FastifyReply> {
  const { db } = world
  const dispute = await disputeOf(world, context)
  const invoice = (await billing.findSellerInvoice(db, { id: dispute.invoice_id, app_id: null }))!
  const app = await apps.get(db, invoice.app_id)
  const license = await licensing.getLicense(db, invoice.license_id)
  const { statement, fault, note } = refused
  const page = DisputePage({
    ...pageFacts(world, context, app),
    invoice,
    dispute,
    evidence: dispute.evidence ?? (await assembleEvidence(world, dispute.id)),
    is_accepted: dispute.closed_at === null && appTime(world, app) < dispute.due_at,
    statement: statement ?? dispute.evidence?.uncategorized_text ?? '',
    longest_statement: payments.MAX_STATEMENT_LENGTH,
    cost: billing.DISPUTE_COST,
    has_ended: license.status === 'canceled',
    note: ownValue(NOTES, note ?? queryOf(context.request, 'done') ?? ''),
    fault,
  })
  const status = fault ? 422 : note ? NOT_SUBMITTED[note] : 200
  return sendPage(context.reply, page, { status })
}
