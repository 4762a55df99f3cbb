import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { withQuery } from '#http/address'
import { declareExport } from '#http/exports'
import { isoSeconds } from '#platform/calendar'
import type { CsvColumn } from '#platform/csv'
import { readInPages } from '#platform/read-in-pages'
import type { Task } from '#platform/tasks'
import { exportedSearch } from './list-search.ts'
import { SALE_FIELDS, salesFilter } from './sale-search.ts'

/** The task kind of an export of an app's invoices. */
export const SALES = 'export_sales'

/** Whether an account may still view the app of an export: a former member may not. */
export async function mayViewApp({ db }: World, { app_id, user_id }: Task): Promise<boolean> {
  const app = app_id === null ? undefined : await apps.find(db, app_id)
  const member = app && (await sellers.memberOf(db, { seller_id: app.seller_id, user_id }))
  return member !== undefined && sellers.isAllowed(member.role, 'view')
}

/** Declares the export of an app's invoices. */
export function declareSalesExport(world: World): void {
  const { db } = world
  declareExport(world, {
    kind: SALES,
    title: 'Exporting sales',
    isAllowed: (task) => mayViewApp(world, task),
    columns: COLUMNS,
    nameOf: ({ request }) => `${exportedSearch(request, SALE_FIELDS).slug}-sales.csv`,
    back({ request }) {
      const { slug, search } = exportedSearch(request, SALE_FIELDS)
      return withQuery(`/dashboard/apps/${slug}/sales/`, search)
    },
    async open({ app_id, request }) {
      const app = (await apps.find(db, app_id!))!
      const { search } = exportedSearch(request, SALE_FIELDS)
      const filter = await salesFilter(world, app, search)
      const pages = readInPages<billing.Sale, number>(
        ({ after: below, limit }) => billing.listSales(db, { ...filter, below, limit }),
        ({ number }) => number,
      )
      return { total: await billing.countSales(db, filter), pages }
    },
  })
}

const COLUMNS: CsvColumn<billing.Sale>[] = [
  { name: 'invoice', of: (sale) => billing.invoiceNumber(sale.number) },
  { name: 'date', of: (sale) => isoSeconds(sale.paid_at ?? sale.created_at) },
  { name: 'status', of: (sale) => sale.status },
  { name: 'kind', of: (sale) => sale.kind },
  { name: 'plan', of: (sale) => sale.product_name },
  { name: 'buyer', of: (sale) => sale.email },
  { name: 'amount', of: (sale) => sale.amount },
  { name: 'tax', of: (sale) => sale.tax },
  { name: 'tax_state', of: (sale) => sale.state },
  { name: 'fee', of: (sale) => sale.fee },
  { name: 'add_on_fee', of: (sale) => sale.add_on_fee },
  { name: 'net', of: (sale) => sale.net },
  { name: 'refunded', of: (sale) => sale.refunded },
  { name: 'refund_deducted', of: (sale) => sale.deducted },
  { name: 'invoice_id', of: (sale) => sale.id },
  { name: 'order_id', of: (sale) => sale.order_id },
  { name: 'license_id', of: (sale) => sale.license_id },
  { name: 'dispute_deducted', of: (sale) => sale.dispute_deducted },
]
