import type { FastifyInstance } from 'fastify'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { forReports, type World } from '#flows/world'
import { withQuery } from '#http/address'
import { startExport } from '#http/exports'
import { requireAppSales, SIDES } from '#http/guards/seller-or-staff'
import { SERVES_SUSPENDED } from '#http/guards/viewing'
import { queryOf, readNumber } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { pageOf } from '#http/pagination'
import { searchOf } from '#http/search'
import { INVOICE_FIELDS, invoiceFilter } from './invoice-search.ts'
import { exportRequest, withoutKey } from './list-search.ts'
import { pageFacts } from './sales-context.ts'
import { declareInvoicesExport, SALES } from './sales-export.ts'
import { LISTED_DISPUTES, SalesPage } from './sales-list-page.tsx'
import { declareSearchForm } from './search-form-route.ts'

const ON_A_PAGE = 50

/** The list of an app's invoices, and its export. */
export function declareSalesList(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting
  const path = `${SIDES.seller}/sales/`
  declareInvoicesExport(reporting)
  declareSearchForm(scope, reporting, { name: 'sales', fields: INVOICE_FIELDS })

  scope.get(path, async (request, reply) => {
    const context = await requireAppSales(reporting, request, reply, 'view')
    const { app } = context
    const given = searchOf(request, INVOICE_FIELDS)
    const search = await withoutKey(reporting, app, given)
    if (search !== given) return redirectTo(reply, withQuery(`${context.base}/sales/`, search))
    const filter = await invoiceFilter(reporting, app, search)
    const below = readNumber(queryOf(request, 'below'))
    const question = { ...filter, below, limit: ON_A_PAGE + 1 }
    const found = await billing.listInvoices(db, question)
    const { rows: invoices, ...addresses } = pageOf(found, {
      size: ON_A_PAGE,
      path: `${context.base}/sales/`,
      query: search,
      is_first: below === undefined,
      belowOf: ({ number }) => String(number),
    })
    const page = SalesPage({
      ...pageFacts(reporting, context, app),
      slug: app.slug,
      app_name: app.name,
      has_clock: world.processor.has_test_clock,
      invoices,
      totals: await billing.invoiceTotals(db, filter),
      disputes: await payments.listUnclosed(db, {
        app_id: app.id,
        limit: LISTED_DISPUTES + 1,
        offset: 0,
      }),
      opens_disputes: sellers.isAllowed(context.member.role, 'support'),
      search,
      is_cut: filter.found?.license_ids.length === payments.MAX_FOUND,
      ...addresses,
    })
    return sendPage(reply, page)
  })

  scope.post(`${path}export`, SERVES_SUSPENDED, async (request, reply) => {
    const context = await requireAppSales(world, request, reply, 'view')
    const { app } = context
    const search = await withoutKey(world, app, searchOf(request, INVOICE_FIELDS))
    const asked = exportRequest(app.slug, search)
    return await startExport(world, context, { kind: SALES, app_id: app.id, request: asked })
  })
}
