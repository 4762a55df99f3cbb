import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { auditRows, placeOf, placeText } from '#http/audit-rows'
import { requireMember } from '#http/guards/seller'
import { queryOf } from '#http/input'
import { sendPage } from '#http/pages'
import { ActivityPage } from './activity-page.tsx'

const ACTIVITY = '/dashboard/activity/'
const ON_A_PAGE = 50

/** A seller's part of the audit log: who did what, and through which channel. */
export function declareActivity(scope: FastifyInstance, world: World): void {
  scope.get(ACTIVITY, async (request, reply) => {
    const { member } = await requireMember(world, request, reply, 'team')
    const { seller_id, legal_name, role } = member
    const below = placeOf(queryOf(request, 'below'))
    const found = await auditRows(world, { seller_id, below, limit: ON_A_PAGE + 1 })
    const entries = found.slice(0, ON_A_PAGE)
    const last = entries.at(-1)
    const names = await apps.namesOf(world.db, seller_id)
    const page = ActivityPage({
      role,
      legal_name,
      entries: entries.map((entry) => ({
        ...entry,
        about:
          entry.subject === seller_id ? legal_name : (names.get(entry.subject) ?? entry.subject),
      })),
      older: found.length > ON_A_PAGE && last ? `${ACTIVITY}?below=${placeText(last)}` : undefined,
      newest: below ? ACTIVITY : undefined,
    })
    return sendPage(reply, page)
  })
}
