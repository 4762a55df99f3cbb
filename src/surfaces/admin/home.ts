import type { FastifyInstance } from 'fastify'
import { isPermitted } from '#domain/identity'
import { forReports, type World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { requireStaff } from '#http/guards/staff'
import { sendPage } from '#http/pages'
import { attentionFor } from './attention.ts'
import { HomePage } from './home-page.tsx'

const HOME = '/admin/'

/** The home of the admin area: what needs the attention of the role. */
export function declareHome(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'home')
    const page = HomePage({
      role,
      csrf_token: csrfToken(reporting, request, reply),
      searches: isPermitted(role, 'cases'),
      items: await attentionFor(reporting, role),
    })
    return sendPage(reply, page)
  })
}
