import type { FastifyInstance } from 'fastify'
import { createApp } from '#flows/app'
import { owesTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { currentMember, DASHBOARD, type MemberContext, requireMember } from '#http/guards/seller'
import { requireSession } from '#http/guards/session'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { sellerTermsUrl } from '#http/redirect'
import type { FieldFault } from '#platform/problem'
import { actorOf } from './app-context.ts'
import { NewAppPage } from './new-app-page.tsx'
import { formFaults } from './rows.ts'
import { START } from './start.ts'

const NEW_APP = '/dashboard/apps/new/'

/** Creates an app of the seller whose pages are open. */
export function declareNewApp(scope: FastifyInstance, world: World): void {
  async function show(context: MemberContext, form: Partial<NewAppForm>, found: FieldFault[]) {
    const { request, reply } = context
    const page = NewAppPage({
      csrf_token: csrfToken(world, request, reply),
      form,
      faults: formFaults(found),
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(NEW_APP, async (request, reply) => {
    const context = await requireSession(world, request, reply, DASHBOARD)
    if (!(await currentMember(world, context))) return redirectTo(reply, START)
    return await show(await requireMember(world, request, reply, 'edit_apps'), {}, [])
  })

  scope.post(NEW_APP, async (request, reply) => {
    const context = await requireMember(world, request, reply, 'edit_apps')
    const { seller_id } = context.member
    if (await owesTerms(world, seller_id)) {
      return redirectTo(reply, sellerTermsUrl(NEW_APP))
    }
    const { name = '', url = '' } = formOf(request)
    const created = await createApp(world, actorOf(context), { seller_id, name, url })
    if ('faults' in created) return await show(context, { name, url }, created.faults)
    return redirectTo(reply, `/dashboard/apps/${created.slug}/?done=created`)
  })
}

type NewAppForm = Record<'name' | 'url', string>
