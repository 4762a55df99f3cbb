import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as payments from '#domain/payments'
import { forReports, type World } from '#flows/world'
import { declareExport, ROWS_AT_ONCE, startExport } from '#http/exports'
import { requireSellerOrStaff, SIDES } from '#http/guards/seller-or-staff'
import { queryOf } from '#http/input'
import { sendPage } from '#http/pages'
import { isoDate, isoSeconds } from '#platform/calendar'
import type { CsvColumn } from '#platform/csv'
import {
  CUSTOMER_FIELDS,
  cursorText,
  customerFilter,
  planOptions,
  readCursor,
  sortOf,
} from './customer-search.ts'
import { CustomersPage } from './customers-page.tsx'
import { exportedSearch, exportRequest, listAddress, searchOf } from './list-search.ts'
import { pageFacts } from './sales-context.ts'

const ON_A_PAGE = 50
const EXPORT = 'export_customers'
const NEEDED = { seller: 'view', staff: 'sales' } as const

/** The list of an app's customers, and its export. */
export function declareCustomers(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const path = `${SIDES.seller}/customers/`
  declareCustomersExport(reporting)

  scope.get(path, async (request, reply) => {
    const context = await requireSellerOrStaff(reporting, request, reply, 'seller', NEEDED)
    const app = context.app!
    const search = searchOf(request, CUSTOMER_FIELDS)
    const after = readCursor(queryOf(request, 'below'))
    const filter = await customerFilter(reporting, app, search)
    const sort = sortOf(search)
    const question = { ...filter, sort, after, limit: ON_A_PAGE + 1 }
    const found = await payments.listCustomers(reporting.db, question)
    const customers = found.slice(0, ON_A_PAGE)
    const last = customers.at(-1)
    const here = (below: string) => listAddress(`${context.base}/customers/`, { ...search, below })
    const page = CustomersPage({
      ...pageFacts(reporting, context, app),
      slug: app.slug,
      app_name: app.name,
      has_clock: world.processor.has_test_clock,
      search,
      plans: await planOptions(reporting, app.id),
      customers,
      totals: await payments.customerTotals(reporting.db, filter),
      older: found.length > ON_A_PAGE && last ? here(cursorText(last)) : undefined,
      latest: after ? here('') : undefined,
    })
    return sendPage(reply, page)
  })

  scope.post(`${path}export`, async (request, reply) => {
    const context = await requireSellerOrStaff(world, request, reply, 'seller', NEEDED)
    const { id: app_id, slug } = context.app!
    const asked = exportRequest(slug, searchOf(request, CUSTOMER_FIELDS))
    return await startExport(world, context, { kind: EXPORT, app_id, request: asked })
  })
}

function declareCustomersExport(world: World): void {
  const { db } = world
  declareExport(world, {
    kind: EXPORT,
    title: 'Exporting customers',
    columns: COLUMNS,
    nameOf: ({ request }) => `${exportedSearch(request, CUSTOMER_FIELDS).slug}-customers.csv`,
    back({ request }) {
      const { slug, search } = exportedSearch(request, CUSTOMER_FIELDS)
      return listAddress(`/dashboard/apps/${slug}/customers/`, search)
    },
    async open({ app_id, request }) {
      const app = (await apps.find(db, app_id!))!
      const { search } = exportedSearch(request, CUSTOMER_FIELDS)
      const filter = await customerFilter(world, app, search)
      const { count: total } = await payments.customerTotals(db, filter)
      return { total, pages: everyCustomer(world, filter, sortOf(search)) }
    },
  })
}

async function* everyCustomer(
  { db }: World,
  filter: payments.CustomerFilter,
  sort: payments.CustomerSort,
): AsyncGenerator<payments.Customer[]> {
  let after: payments.Customer | undefined
  for (;;) {
    const question = { ...filter, sort, after, limit: ROWS_AT_ONCE }
    const some = await payments.listCustomers(db, question)
    yield some
    after = some.at(-1)
    if (some.length < ROWS_AT_ONCE) return
  }
}

const COLUMNS: CsvColumn<payments.Customer>[] = [
  { name: 'customer', of: ({ email }) => email },
  { name: 'paid', of: ({ paid }) => paid },
  { name: 'plan', of: ({ product_name }) => product_name },
  { name: 'status', of: ({ status }) => status },
  { name: 'first_purchase', of: ({ first_at }) => isoSeconds(first_at) },
  { name: 'period_end', of: ({ period_end }) => (period_end ? isoDate(period_end) : null) },
  { name: 'auto_renew', of: ({ auto_renew }) => (auto_renew ? 'yes' : 'no') },
  { name: 'license_id', of: ({ license_id }) => license_id },
]
