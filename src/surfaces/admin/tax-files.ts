import { Readable } from 'node:stream'
import { invoiceNumber } from '#domain/billing'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import { declareExport } from '#http/exports'
import { isoDate, isoSeconds } from '#platform/calendar'
import type { CsvColumn } from '#platform/csv'
import { readInPages } from '#platform/read-in-pages'
import type { Task } from '#platform/tasks'
import { percent, type StateSummary, summariesOf } from './tax-summary.ts'

/** The task kinds of a month's exports: by state, and line by line. */
export const TAX_STATES = 'export_tax_states'
export const TAX_LINES = 'export_tax_lines'

/** Declares the exports of a month. */
export function declareTaxExports(world: World): void {
  const { db } = world
  const about = {
    needs: 'taxes',
    back: ({ request }: Task) => `/admin/tax/${request.month}/`,
  } as const
  declareExport(world, {
    ...about,
    kind: TAX_STATES,
    title: 'Exporting a month by state',
    columns: SUMMARY,
    nameOf: ({ request }) => `tax-${request.month}-states.csv`,
    async open({ request }) {
      const month = request.month as string
      const states = (await summariesOf(world, month)).map((each) => ({ ...each, month }))
      return { total: states.length, pages: Readable.from([states]) }
    },
  })
  declareExport(world, {
    ...about,
    kind: TAX_LINES,
    title: 'Exporting the transactions of a month',
    columns: LINES,
    nameOf: ({ request }) => `tax-${request.month}-transactions.csv`,
    async open({ request }) {
      const month = request.month as string
      const pages = readInPages<tax.TaxLine, tax.TaxLine>(
        (page) => tax.pageOfTaxLines(db, { month, ...page }),
        (last) => last,
      )
      return { total: await tax.countTaxLines(db, month), pages }
    },
  })
}

/** The columns of a month by state. */
const SUMMARY: CsvColumn<StateSummary & { month: string }>[] = [
  { name: 'state', of: ({ state }) => state },
  { name: 'month', of: ({ month }) => month },
  { name: 'gross_sales', of: ({ sales }) => sales },
  { name: 'exempt_or_nontaxable_sales', of: ({ exempt_sales }) => exempt_sales },
  { name: 'taxable_sales', of: ({ taxable_sales }) => taxable_sales },
  { name: 'rate', of: ({ rates }) => rates.map(percent).join(' ') },
  { name: 'tax_charged', of: ({ charged }) => charged },
  { name: 'refunds_before_tax', of: ({ refunds }) => refunds },
  { name: 'taxable_refunds', of: ({ taxable_refunds }) => taxable_refunds },
  { name: 'tax_refunded', of: ({ relieved }) => relieved },
  { name: 'tax_collected_net', of: ({ collected }) => collected },
  { name: 'carried_from_earlier_months', of: ({ carried }) => carried },
  { name: 'net_due', of: ({ amount }) => amount },
  { name: 'status', of: ({ status }) => status },
  { name: 'filing_reference', of: ({ filing }) => filing?.reference ?? null },
  { name: 'filed_at', of: ({ filing }) => (filing ? isoSeconds(filing.filed_at) : null) },
  { name: 'filed_by', of: ({ filing }) => filing?.filed_by ?? null },
]

/** The columns of a month's sales and refunds, each with its tax rule. */
const LINES: CsvColumn<tax.TaxLine>[] = [
  { name: 'date', of: ({ at }) => isoDate(at) },
  { name: 'kind', of: ({ event }) => event },
  { name: 'state', of: ({ state }) => state },
  { name: 'zip', of: ({ zip }) => zip },
  { name: 'app', of: ({ app_name }) => app_name },
  { name: 'invoice_id', of: ({ invoice_id }) => invoice_id },
  { name: 'invoice_number', of: ({ invoice_number }) => invoiceNumber(invoice_number) },
  { name: 'transaction_id', of: ({ transaction_id }) => transaction_id },
  { name: 'amount_before_tax', of: ({ amount }) => amount },
  { name: 'taxable_amount', of: ({ taxable }) => taxable },
  { name: 'rate', of: ({ rate_ppm }) => percent(rate_ppm) },
  { name: 'taxable_share', of: ({ taxable_ppm }) => percent(taxable_ppm) },
  { name: 'tax', of: ({ tax }) => tax },
  { name: 'rule', of: ({ rule }) => rule },
]
