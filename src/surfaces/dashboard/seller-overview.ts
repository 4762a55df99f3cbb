import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import { payeeTime, type World } from '#flows/world'
import { requireMember } from '#http/guards/seller'
import { sendPage } from '#http/pages'
import { payeeNotice } from '#http/test-clock-notice'
import { readFigures } from './figures.ts'
import { SellerOverviewPage } from './seller-overview-page.tsx'

const OVERVIEW = '/dashboard/overview/'

/** The figures of all apps of a seller, archived ones too. */
export function declareSellerOverview(scope: FastifyInstance, world: World): void {
  scope.get(OVERVIEW, async (request, reply) => {
    const { member } = await requireMember(world, request, reply, 'view')
    const { seller_id } = member
    const page = SellerOverviewPage({
      ...(await readFigures(world, request, {
        base: OVERVIEW,
        app_ids: await apps.idsOf(world.db, seller_id),
        now: await payeeTime(world, seller_id),
        member,
        names_apps: true,
      })),
      notice: await payeeNotice(world, seller_id),
      seller_name: member.legal_name,
      role: member.role,
      is_suspended: member.is_suspended,
    })
    return sendPage(reply, page)
  })
}
