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
import { INVOICE_FIELDS, invoiceFilter } from './invoice-search.ts'
import { exportedSearch } from './list-search.ts'

/** The task kind of an export of an app's invoices. */
export const SALES = 'export_sales'

/** Whether an account may still view the app of an export: a former member may not. */
export async function mayViewApp({ db }: World, { app_id, user_id }: Task): Promise<boolean> {
  const app = app_id === null ? undefined : await apps.find(db, app_id)
  const member = app && (await sellers.memberOf(db, { seller_id: app.seller_id, user_id }))
  return member !== undefined && sellers.isAllowed(member.role, 'view')
}

/** Declares the export of an app's invoices. */
export function declareInvoicesExport(world: World): void {
  const { db } = world
  declareExport(world, {
    kind: SALES,
    title: 'Exporting sales',
    isAllowed: (task) => mayViewApp(world, task),
    columns: COLUMNS,
    nameOf: ({ request }) => `${exportedSearch(request, INVOICE_FIELDS).slug}-sales.csv`,
    back({ request }) {
      const { slug, search } = exportedSearch(request, INVOICE_FIELDS)
      return withQuery(`/dashboard/apps/${slug}/sales/`, search)
    },
    async open({ app_id, request }) {
      const app = await apps.get(db, app_id!)
      const { search } = exportedSearch(request, INVOICE_FIELDS)
      const filter = await invoiceFilter(world, app, search)
      const pages = readInPages<billing.SellerInvoice, number>(
        ({ after: below, limit }) => billing.listInvoices(db, { ...filter, below, limit }),
        ({ number }) => number,
      )
      return { total: await billing.countInvoices(db, filter), pages }
    },
  })
}

const COLUMNS: CsvColumn<billing.SellerInvoice>[] = [
  { name: 'invoice', of: (invoice) => billing.invoiceNumber(invoice.number) },
  { name: 'date', of: (invoice) => isoSeconds(invoice.paid_at ?? invoice.created_at) },
  { name: 'status', of: (invoice) => invoice.status },
  { name: 'kind', of: (invoice) => invoice.kind },
  { name: 'plan', of: (invoice) => invoice.product_name },
  { name: 'buyer', of: (invoice) => invoice.email },
  { name: 'amount', of: (invoice) => invoice.amount },
  { name: 'tax', of: (invoice) => invoice.tax },
  { name: 'tax_state', of: (invoice) => invoice.state },
  { name: 'fee', of: (invoice) => invoice.fee },
  { name: 'add_on_fee', of: (invoice) => invoice.add_on_fee },
  { name: 'net', of: (invoice) => invoice.net },
  { name: 'refunded', of: (invoice) => invoice.refunded },
  { name: 'refund_deducted', of: (invoice) => invoice.deducted },
  { name: 'invoice_id', of: (invoice) => invoice.id },
  { name: 'order_id', of: (invoice) => invoice.order_id },
  { name: 'license_id', of: (invoice) => invoice.license_id },
  { name: 'dispute_deducted', of: (invoice) => invoice.dispute_deducted },
]
