import type { FastifyInstance } from 'fastify'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import { forReports, type World } from '#flows/world'
import { startExport } from '#http/exports'
import { requireSellerOrStaff, SIDES } from '#http/guards/seller-or-staff'
import { queryOf } from '#http/input'
import { sendPage } from '#http/pages'
import { declareSalesExport, SALES } from './export.ts'
import { KIND_LABELS } from './labels.ts'
import { SalesPage } from './list-page.tsx'
import { pageFacts } from './sales-context.ts'

const ON_A_PAGE = 50

const NEEDED = { seller: 'view', staff: 'sales' } as const

/** The list of an app's invoices, and its export. */
export function declareList(scope: FastifyInstance, world: World): void {
  const reporting = forReports(world)
  const { db } = reporting
  const path = `${SIDES.seller}/sales/`
  declareSalesExport(reporting)

  scope.get(path, async (request, reply) => {
    const context = await requireSellerOrStaff(reporting, request, reply, 'seller', NEEDED)
    const { base } = context
    const app = context.app!
    const filter = {
      status: billing.SALE_STATUSES.find((each) => each === queryOf(request, 'status')),
      kind: KINDS.find((each) => each === queryOf(request, 'kind')),
    }
    const below = numberOf(queryOf(request, 'below'))
    const question = { app_id: app.id, ...filter, below, limit: ON_A_PAGE + 1 }
    const found = await billing.listSales(db, question)
    const shown = found.slice(0, ON_A_PAGE)
    const here = (facts: Record<string, string>) =>
      `${base}/sales/?${new URLSearchParams({ ...present(filter), ...facts })}`
    const last = shown.at(-1)
    const page = SalesPage({
      ...(await pageFacts(reporting, context, app)),
      slug: app.slug,
      app_name: app.name,
      has_clock: world.processor.has_test_clock,
      sales: shown,
      disputes: await payments.listUnclosed(db, app.id),
      filter: { status: filter.status ?? '', kind: filter.kind ?? '' },
      older: found.length > shown.length && last ? here({ below: `${last.number}` }) : undefined,
      latest: below === undefined ? undefined : here({}),
    })
    return sendPage(reply, page)
  })

  scope.post(`${path}export`, async (request, reply) => {
    const context = await requireSellerOrStaff(world, request, reply, 'seller', NEEDED)
    const { id: app_id, slug } = context.app!
    return await startExport(world, context, { kind: SALES, app_id, request: { slug } })
  })
}

const KINDS = Object.keys(KIND_LABELS) as billing.InvoiceKind[]

function present(filter: Record<string, string | undefined>): Record<string, string> {
  const given = Object.entries(filter).filter(([, value]) => value !== undefined)
  return Object.fromEntries(given) as Record<string, string>
}

function numberOf(text: string | undefined): number | undefined {
  return text !== undefined && /^\d{1,15}$/.test(text) ? Number(text) : undefined
}
