import type { FastifyInstance, FastifyReply } from 'fastify'
import * as licensing from '#domain/licensing'
import { EXTENSION_DAYS } from '#flows/subscription'
import type { World } from '#flows/world'
import { withQuery } from '#http/address'
import { type FormFault, faultsIn } from '#http/form-errors'
import { type AppSalesContext, requireAppSales } from '#http/guards/seller-or-staff'
import { requireRecentProof } from '#http/guards/session'
import { formOf, paramsOf, queryOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { reasonFault } from '#http/reason'
import { refuse } from '#http/refusals'
import type { Limit } from '#platform/limits'
import { ownValue } from '#platform/record'
import { ACTIONS, type CustomerAction, endOf } from './customer-action.ts'
import { ActionPage } from './customer-action-page.tsx'
import { CUSTOMER_PATH, licenseOf } from './customer-context.ts'
import { pageFacts, sellerOf } from './sales-context.ts'

/** How often a member may act on customers. */
export const ACTION_LIMIT: Limit = { name: 'customer-actions', points: 120, seconds: 3600 }

interface ActionForm {
  reason: string
  days: string
}

/** The pages of actions: each says what happens, and asks for a reason and re-authentication. */
export function declareCustomerActions(scope: FastifyInstance, world: World): void {
  const path = `${CUSTOMER_PATH}/:action/`
  scope.get(path, async (request, reply) => {
    const context = await requireAppSales(world, request, reply, 'support')
    const action = actionOf(context)
    requireRecentProof(world, context)
    const form = { reason: queryOf(request, 'reason') ?? '', days: queryOf(request, 'days') ?? '7' }
    return await show(world, context, action, form)
  })

  scope.post(path, async (request, reply) => {
    const context = await requireAppSales(world, request, reply, 'support')
    const action = actionOf(context)
    const { reason = '', days = '', replaces = '', from = '' } = formOf(request)
    const form = { reason: reason.trim(), days: days.trim() }
    const faults = faultsOf(action, form)
    if (faults.length > 0) return await show(world, context, action, form, faults)
    requireRecentProof(world, context, withQuery(request.url, { ...form }))
    const license = await licenseOf(world, context)
    const back = `${context.base}/customers/${license.license_id}/`
    if (!action.isPossible(license)) return redirectTo(reply, `${back}?done=changed`)
    const { user_id } = context.session
    await limitPage(world, ACTION_LIMIT, user_id, reply)
    const given = {
      license,
      actor: sellerOf(context),
      reason: form.reason,
      days: Number(form.days),
      replaces,
      from,
    }
    return redirectTo(reply, `${back}?done=${await action.run(world, given)}`)
  })
}

function actionOf({ request }: AppSalesContext): CustomerAction {
  const action = ownValue(ACTIONS, paramsOf('/:action/', request).action)
  if (!action) throw refuse('not_found')
  return action
}

function faultsOf({ has_days }: CustomerAction, { reason, days }: ActionForm): FormFault[] {
  const { least, most } = EXTENSION_DAYS
  const isNumber = /^\d{1,3}$/.test(days) && Number(days) >= least && Number(days) <= most
  return faultsIn([
    ['days', has_days && !isNumber && `Enter ${least} to ${most} days.`],
    ['reason', reasonFault(reason)],
  ])
}

async function show(
  world: World,
  context: AppSalesContext,
  action: CustomerAction,
  form: ActionForm,
  faults: FormFault[] = [],
): Promise<FastifyReply> {
  const license = await licenseOf(world, context)
  const back = `${context.base}/customers/${license.license_id}/`
  if (!action.isPossible(license)) return redirectTo(context.reply, `${back}?done=changed`)
  const page = ActionPage({
    ...pageFacts(world, context, context.app),
    action,
    email: license.email,
    path: context.request.url.split('?')[0]!,
    back,
    form,
    replaces: licensing.keyName(license),
    from: endOf(license),
    faults,
  })
  return sendPage(context.reply, page, { status: faults.length > 0 ? 422 : 200 })
}
