import type { FastifyInstance, FastifyReply } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { assembleEvidence, sendEvidence } from '#flows/dispute'
import { rememberUses } from '#flows/remember-uses'
import { appTime, type World } from '#flows/world'
import { ownValue } from '#platform/text'
import { formOf, goTo, queryOf, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { askerOf, forSide, PLACES, pageFacts, type SalesVisit, type Side } from './access.ts'
import { DisputePage } from './dispute-page.tsx'

/** A dispute: looked at, and answered with what is known. */
export function declareDispute(scope: FastifyInstance, world: World, side: Side): void {
  const path = `${PLACES[side]}/disputes/:dispute_id/`
  scope.get(
    path,
    forSide(world, side, (visit) => show(world, visit, {})),
  )

  scope.post(
    path,
    forSide(world, side, async (visit) => {
      const dispute = await disputeOf(world, visit)
      // Browsers count a line's end as one character and send two.
      const statement = (formOf(visit.request).statement ?? '').replaceAll('\r\n', '\n').trim()
      if (statement.length > payments.LONGEST_STATEMENT) {
        const fault = `That is longer than ${payments.LONGEST_STATEMENT} characters.`
        return await show(world, visit, { statement, fault })
      }
      const facts = { dispute_id: dispute.id, statement }
      const done = await sendEvidence(world, askerOf(visit), facts)
      if (done === 'unreachable') return await show(world, visit, { statement, is_unheard: true })
      return goTo(visit.reply, `${visit.base}/disputes/${dispute.id}/?done=${done}`)
    }),
  )
}

const NOTES: Record<string, { tone: 'success' | 'warning'; words: string }> = {
  sent: { tone: 'success', words: 'The evidence is with the bank. It decides within weeks.' },
  closed: { tone: 'warning', words: 'It is too late: the bank hears no evidence any more.' },
  unheard: { tone: 'warning', words: 'The processor did not answer. Send it again in a moment.' },
}

async function disputeOf(world: World, { request, app }: SalesVisit) {
  const { dispute_id: id } = request.params as { dispute_id: string }
  const dispute = await payments.findDisputeOf(world.db, { id, app_id: app?.id ?? null })
  if (!dispute) throw refuse('not_found')
  // What was counted a moment ago is evidence too.
  await rememberUses(world)
  return dispute
}

async function show(
  world: World,
  visit: SalesVisit,
  tried: { statement?: string; fault?: string; is_unheard?: boolean },
): Promise<FastifyReply> {
  const { db } = world
  const dispute = await disputeOf(world, visit)
  const sale = (await billing.findSale(db, { id: dispute.invoice_id, app_id: null }))!
  const app = (await apps.find(db, sale.app_id))!
  const note = tried.is_unheard ? 'unheard' : (queryOf(visit.request, 'done') ?? '')
  const page = DisputePage({
    ...(await pageFacts(world, visit, app)),
    sale,
    dispute,
    evidence: dispute.evidence ?? (await assembleEvidence(world, dispute.id)),
    is_heard: dispute.closed_at === null && appTime(world, app) < dispute.due_at,
    statement: tried.statement ?? dispute.evidence?.uncategorized_text ?? '',
    longest_statement: payments.LONGEST_STATEMENT,
    cost: billing.DISPUTE_COST,
    note: ownValue(NOTES, note),
    fault: tried.fault,
  })
  const status = tried.fault ? 422 : tried.is_unheard ? 503 : 200
  return sendPage(visit.reply, page, { status })
}
