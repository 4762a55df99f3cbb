import type { FastifyInstance } from 'fastify'
import { priceText } from '#design/money'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { decideApproval } from '#flows/app'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { requireStaff, type StaffContext } from '#http/guards/staff'
import { formOf, paramsOf, queryOf, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import type { ApprovalId } from '#platform/ids'
import { ownValue } from '#platform/text'
import { type ApprovalEntry, ApprovalsPage } from './approvals-page.tsx'

const APPROVALS = '/admin/approvals/'
const DECIDE = `${APPROVALS}:id`
const AT_ONCE = 50
const LONGEST_REASON = 500

/** Staff's decisions about external sales (spec: What the service does, 5). */
export function declareApprovals(scope: FastifyInstance, world: World): void {
  async function show({ request, reply, role }: StaffContext, lacks_reason?: ApprovalId) {
    const open = await apps.listOpenApprovals(world.db, AT_ONCE)
    const page = ApprovalsPage({
      role,
      csrf_token: csrfToken(world, request, reply),
      entries: await Promise.all(open.map((each) => withPlans(world, each))),
      note: ownValue(NOTES, queryOf(request, 'done')),
      lacks_reason,
    })
    return sendPage(reply, page, { status: lacks_reason ? 422 : 200 })
  }

  scope.get(APPROVALS, async (request, reply) =>
    show(await requireStaff(world, request, reply, APPROVALS, 'approvals')),
  )

  scope.post(DECIDE, async (request, reply) => {
    const context = await requireStaff(world, request, reply, APPROVALS, 'approvals')
    const { session } = context
    const id = requireId('apr', paramsOf(DECIDE, request).id)
    const { decision, reason: entered = '' } = formOf(request)
    if (decision !== 'approve' && decision !== 'refuse') return redirectTo(reply, APPROVALS)
    const reason = entered.trim().slice(0, LONGEST_REASON)
    if (decision === 'refuse' && reason === '') return await show(context, id)
    const actor = { kind: 'staff', user_id: session.user_id, request_id: request.id } as const
    const is_approved = decision === 'approve'
    const isDecided = await decideApproval(world, actor, { id, is_approved, reason })
    return redirectTo(reply, `${APPROVALS}?done=${isDecided ? decision : 'gone'}`)
  })
}

async function withPlans({ db }: World, request: apps.OpenApproval): Promise<ApprovalEntry> {
  const products = await catalog.products(db, request.app_id)
  const prices = await catalog.livePrices(db, request.app_id)
  const plans = products.map(({ id, name, is_free }) => {
    const own = prices.filter(({ product_id }) => product_id === id)
    const costs = own.map(({ amount, frequency }) => priceText(amount, frequency)).join(', ')
    return is_free ? `${name}, free` : `${name}, ${costs}`
  })
  return { ...request, plans }
}

const NOTES: Record<string, string> = {
  approve: 'Approved. The seller is notified by email.',
  refuse: 'Refused. The seller is notified by email.',
  gone: 'The request was decided before.',
}
