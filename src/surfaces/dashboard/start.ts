import type { FastifyInstance } from 'fastify'
import type { EnteredDetails } from '#domain/sellers'
import { startSelling } from '#flows/seller'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { currentMember, DASHBOARD } from '#http/guards/seller'
import { requireSession, type SessionContext } from '#http/guards/session'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import type { FieldFault } from '#platform/problem'
import { actorOf } from './app-context.ts'
import { formFaults } from './rows.ts'
import { StartPage } from './start-page.tsx'

/** The path where an account becomes a seller. */
export const START = '/dashboard/start/'

/** The first step of a seller: legal name, address and terms. */
export function declareStart(scope: FastifyInstance, world: World): void {
  function show(context: SessionContext, form: EnteredDetails, found: FieldFault[]) {
    const { request, reply } = context
    const page = StartPage({
      csrf_token: csrfToken(world, request, reply),
      form,
      faults: formFaults(found),
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(START, async (request, reply) => {
    const context = await requireSession(world, request, reply, START)
    // A member of a seller goes on with the first app.
    if (await currentMember(world, context)) return redirectTo(reply, DASHBOARD)
    return show(context, {}, [])
  })

  scope.post(START, async (request, reply) => {
    const context = await requireSession(world, request, reply, START)
    const form = formOf(request)
    const started = await startSelling(world, actorOf(context), form)
    if ('faults' in started) return show(context, form, started.faults)
    return redirectTo(reply, '/dashboard/apps/new/')
  })
}
