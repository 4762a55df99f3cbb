import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { lockOwnApp } from '#flows/app-access'
import type { World } from '#flows/world'
import { type ActorOf, audit, concerning } from '#platform/audit'
import { queueEmail } from '#platform/email-queue'
import { type AppId, type ApprovalId, mintId } from '#platform/ids'

/**
 * Requests that staff enable external sales for an app (spec: What the service does, 5). It needs a
 * plan, so that staff see what is sold.
 */
export async function requestApproval(
  { db, clock, random }: World,
  actor: ActorOf<'seller'>,
  app_id: AppId,
): Promise<'requested' | 'needs_plan' | 'approved'> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const app = await lockOwnApp(tx, actor, app_id)
    if (app.external_sales_enabled) return 'approved'
    if ((await catalog.products(tx, app_id)).length === 0) return 'needs_plan'
    const id = mintId(random, 'apr')
    const request = { id, app_id, requested_by: actor.user_id }
    if (!(await apps.requestApproval(tx, now, request))) return 'requested'
    await audit(tx, now, { actor, action: 'app.approval_requested', subject: app_id })
    return 'requested'
  })
}

/** Staff's decision about a request, with the reason of a refusal. */
export interface Decision {
  id: ApprovalId
  is_approved: boolean
  reason: string
}

/**
 * Approves or refuses a request, once, and emails the seller. False if the request is no longer
 * open.
 */
export async function decideApproval(
  { db, clock, jobs, random }: World,
  actor: ActorOf<'staff'>,
  decision: Decision,
): Promise<boolean> {
  const now = clock.now()
  const { id, is_approved, reason } = decision
  return await db.tx(async (tx) => {
    const app_id = await apps.decideApproval(tx, now, { ...decision, decided_by: actor.user_id })
    if (!app_id) return false
    const app = await apps.lock(tx, app_id)
    if (is_approved) await apps.setOnSale(tx, app_id, { ...app, external_sales_enabled: true })
    const action = is_approved ? 'app.approved' : 'app.refused'
    const decided = { action, subject: app_id, detail: { reason } } as const
    await audit(tx, now, { actor: concerning(actor, app.seller_id), ...decided })
    const email = { id: mintId(random, 'email'), cause: `approval:${id}`, subject_id: id }
    return await queueEmail(tx, now, jobs, { ...email, kind: 'approval_decided' })
  })
}
