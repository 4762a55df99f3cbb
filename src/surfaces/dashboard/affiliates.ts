import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as affiliates from '#domain/affiliates'
import type { DayRange } from '#domain/metrics'
import { appTime, forReports, type World } from '#flows/world'
import { withQuery } from '#http/address'
import { addressOf } from '#http/app-menu'
import { figuresCursorText, readFiguresCursor } from '#http/figures-cursor'
import { APP_PATH, requireSellerTerms } from '#http/guards/seller'
import { queryOf } from '#http/input'
import { sendCsv, sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { type CsvColumn, csvPages } from '#platform/csv'
import { readInPages } from '#platform/read-in-pages'
import { AffiliatesPage } from './affiliates-page.tsx'
import { appFactsOf } from './app-context.ts'
import { rangeOf } from './figure-range.ts'

const ON_A_PAGE = 50

/** The referrals of an app by affiliate, as a page and as CSV. */
export function declareAffiliates(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting
  const path = `${APP_PATH}/affiliates/`

  scope.get(path, async (request, reply) => {
    const context = await requireSellerTerms(reporting, request, reply)
    const { app } = context
    const chosen = rangeOf(request, appTime(world, app))
    const days = chosen.range
    const after = readFiguresCursor(queryOf(request, 'below'))
    const filter = { app_id: app.id, days, after, limit: ON_A_PAGE + 1 }
    const found = await affiliates.affiliatesOfApp(db, filter)
    const base = addressOf(app.slug, 'affiliates')
    const query = rangeQuery(request, days)
    const { rows, older, newest } = pageOf(found, {
      size: ON_A_PAGE,
      path: base,
      query,
      is_first: !after,
      belowOf: (row) => figuresCursorText(cursorOf(row)),
    })
    const page = AffiliatesPage({
      ...appFactsOf(reporting, context),
      base,
      chosen,
      rows,
      chart: {
        range: days,
        days: await affiliates.referredByDay(db, { app_id: app.id, days }),
      },
      totals: await affiliates.referredTotals(db, { app_id: app.id, days }),
      csv: withQuery(`${base}affiliates.csv`, query),
      older,
      newest,
      join_url: `${world.config.base_url}/affiliate/`,
    })
    return sendPage(reply, page)
  })

  scope.get(`${path}affiliates.csv`, async (request, reply) => {
    const { app } = await requireSellerTerms(reporting, request, reply)
    const { range } = rangeOf(request, appTime(world, app))
    const pages = readInPages<affiliates.AffiliateFigures, affiliates.FiguresCursor>(
      (page) => affiliates.affiliatesOfApp(db, { app_id: app.id, days: range, ...page }),
      cursorOf,
    )
    return sendCsv(reply, `${app.slug}-affiliates.csv`, csvPages(COLUMNS, pages))
  })
}

/** The chosen days as a query: the offered length, so that it moves with time, or the two days. */
function rangeQuery(request: FastifyRequest, { from, to }: DayRange): Record<string, string> {
  const days = queryOf(request, 'days')
  return days ? { days } : { from, to }
}

function cursorOf({ net, affiliate_id }: affiliates.AffiliateFigures): affiliates.FiguresCursor {
  return { amount: net, id: affiliate_id }
}

const COLUMNS: CsvColumn<affiliates.AffiliateFigures>[] = [
  { name: 'affiliate', of: ({ code }) => code },
  { name: 'clicks', of: ({ clicks }) => String(clicks) },
  { name: 'purchases', of: ({ purchases }) => String(purchases) },
  { name: 'net_revenue', of: ({ net }) => net },
  { name: 'commission', of: ({ commission }) => commission },
]
