import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import { auditRows, cursorText, readCursor } from '#http/audit-rows'
import { requireMember } from '#http/guards/seller'
import { queryOf } from '#http/input'
import { sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { ActivityPage } from './activity-page.tsx'

const ACTIVITY = '/dashboard/activity/'
const ON_A_PAGE = 50

/** A seller's part of the audit log: who did what, and through which channel. */
export function declareActivity(scope: FastifyInstance, world: World): void {
  scope.get(ACTIVITY, async (request, reply) => {
    const { member } = await requireMember(world, request, reply, 'team')
    const { seller_id, legal_name, role, is_suspended } = member
    const below = readCursor(queryOf(request, 'below'))
    const found = await auditRows(world, { seller_id, below, limit: ON_A_PAGE + 1 })
    const { rows: entries, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: ACTIVITY,
      is_first: !below,
      belowOf: cursorText,
    })
    const names = await apps.namesOf(world.db, seller_id)
    const page = ActivityPage({
      role,
      is_suspended,
      legal_name,
      entries: entries.map((entry) => ({
        ...entry,
        about:
          entry.subject === seller_id ? legal_name : (names.get(entry.subject) ?? entry.subject),
        by: entry.email ?? names.get(entry.actor),
      })),
      ...addresses,
    })
    return sendPage(reply, page)
  })
}
