import type { FastifyInstance } from 'fastify'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { forReports, type World } from '#flows/world'
import { requireStaff } from '#http/guards/staff'
import { queryOf, readNumber } from '#http/input'
import { sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { ON_A_PAGE } from './paging.ts'
import { PayoutsPage } from './payouts-page.tsx'

const HOME = '/admin/payouts/'

/** The payouts to sellers and affiliates, and the sellers whose payouts are paused. */
export function declarePayouts(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting
  scope.get(HOME, async (request, reply) => {
    const { role } = await requireStaff(reporting, request, reply, HOME, 'payouts')
    const status = payouts.PAYOUT_STATUSES.find((each) => each === queryOf(request, 'status'))
    const below_number = readNumber(queryOf(request, 'below'))
    const isFirst = below_number === undefined
    const limit = ON_A_PAGE + 1
    const found = await payouts.listPayouts(db, { status, below_number, limit })
    const { rows, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: HOME,
      query: { status },
      is_first: isFirst,
      belowOf: ({ number }) => String(number),
    })
    const page = PayoutsPage({
      role,
      status,
      payouts: rows,
      paused: isFirst ? await sellers.listSellers(db, { state: 'paused', limit }) : [],
      ...addresses,
    })
    return sendPage(reply, page)
  })
}
