import type { FastifyInstance } from 'fastify'
import { priceText } from '#design/money'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { decideApproval } from '#flows/app'
import type { World } from '#flows/world'
import { type ActionNote, noteFor } from '#http/action-note'
import { csrfToken } from '#http/form-token'
import { requireStaff, type StaffContext, staffActor } from '#http/guards/staff'
import { formOf, paramsOf, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import type { AppId } from '#platform/ids'
import { textFault } from '#platform/text'
import {
  ApprovalsPage,
  MAX_DECISION_LENGTH,
  type PlanInWords,
  type RefusedDecision,
} from './approvals-page.tsx'
import { ON_A_PAGE } from './paging.ts'

const APPROVALS = '/admin/approvals/'
const DECIDE = `${APPROVALS}:id`

/** Staff's decisions about external sales (spec: What the service does, 5). */
export function declareApprovals(scope: FastifyInstance, world: World): void {
  async function show({ request, reply, role }: StaffContext, refused?: RefusedDecision) {
    const open = await apps.listOpenApprovals(world.db, ON_A_PAGE + 1)
    const plans = await plansOf(world, open)
    const page = ApprovalsPage({
      role,
      csrf_token: csrfToken(world, request, reply),
      entries: open.map((each) => ({ ...each, plans: plans.get(each.app_id) ?? [] })),
      note: noteFor(request, NOTES),
      refused,
    })
    return sendPage(reply, page, { status: refused ? 422 : 200 })
  }

  scope.get(APPROVALS, async (request, reply) =>
    show(await requireStaff(world, request, reply, APPROVALS, 'approvals')),
  )

  scope.post(DECIDE, async (request, reply) => {
    const context = await requireStaff(world, request, reply, APPROVALS, 'approvals')
    const id = requireId('apr', paramsOf(DECIDE, request).id)
    const { decision, reason: entered = '' } = formOf(request)
    if (decision !== 'approve' && decision !== 'refuse') return redirectTo(reply, APPROVALS)
    const reason = entered.trim()
    const is_approved = decision === 'approve'
    const fault =
      is_approved || reason !== ''
        ? textFault(reason, { most: MAX_DECISION_LENGTH })
        : 'Enter what the seller must change.'
    if (fault) return await show(context, { id, reason, fault })
    const isDecided = await decideApproval(world, staffActor(context), { id, is_approved, reason })
    return redirectTo(reply, `${APPROVALS}?done=${isDecided ? decision : 'gone'}`)
  })
}

/** The plans of each app, with their prices in words. */
async function plansOf(
  { db }: World,
  open: apps.OpenApproval[],
): Promise<Map<AppId, PlanInWords[]>> {
  const rows = await catalog.plansOfApps(
    db,
    open.map(({ app_id }) => app_id),
  )
  const priced = Map.groupBy(rows, ({ product_id }) => product_id)
  const plans = [...priced.values()].map((of) => {
    const { app_id, name } = of[0]!
    const costs = of.map(({ amount, frequency }) =>
      amount === null ? 'free' : priceText(amount, frequency),
    )
    return { app_id, name, prices: costs.join(', ') }
  })
  return Map.groupBy(plans, ({ app_id }) => app_id)
}

const NOTES: Record<string, ActionNote> = {
  approve: { tone: 'success', text: 'Approved. The seller is notified by email.' },
  refuse: { tone: 'success', text: 'Refused. The seller is notified by email.' },
  gone: { tone: 'warning', text: 'No change: this request was already decided.' },
}
