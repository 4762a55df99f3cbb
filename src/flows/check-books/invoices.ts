import { formatMoney } from '#design/money'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as discounts from '#domain/discounts'
import * as ledger from '#domain/ledger'
import * as tax from '#domain/tax'
import { isoDate } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AffiliateId, AppId, InvoiceId, SellerId } from '#platform/ids'
import { type Cents, cents, sum, ZERO } from '#platform/money'
import { type Sql, sql } from '#platform/sql'
import {
  amountOrNothing,
  comparePosting,
  type IdPage,
  inPages,
  type Lines,
  linesOf,
  ofPage,
  type Report,
} from './report.ts'
import { INVOICES, idsSince } from './since.ts'

interface CheckedInvoice extends tax.Rule {
  id: InvoiceId
  app_id: AppId
  status: billing.InvoiceStatus
  /** The sum of its lines. */
  lines_total: Cents
  /** Its price, what a discount took off it, and the terms of the discount's code. */
  price: Cents
  discount: Cents
  percent: number | null
  off: Cents | null
  amount: Cents
  tax: Cents
  kind: billing.InvoiceKind
  is_waived: boolean
  fee: Cents
  fixed_fee: Cents
  add_on_fee: Cents
  commission: Cents
  brought_by: billing.BroughtBy
  affiliate_id: AffiliateId | null
  created_at: Date
  seller_id: SellerId
  state: string
  quote_amount: Cents
  quote_tax: Cents
  charged: Cents | null
  lines: Lines
}

/**
 * Checks every invoice, or those since a time: how its total is divided, its quote, its charge and
 * its posting.
 */
export async function checkInvoices(db: Db, report: Report, since?: Date): Promise<void> {
  await inPages(
    async (page) => {
      const invoices = await readInvoices(db, page)
      // Read after their invoices: an app may be created, or its add-on switched, during the check.
      const histories = await addOnHistories(db, [...new Set(invoices.map(({ app_id }) => app_id))])
      return invoices.map((each) => ({ ...each, add_on: histories.get(each.app_id)! }))
    },
    ({ add_on, ...invoice }) => {
      report.count('invoices')
      checkDivision(report, invoice, add_on)
      checkQuote(report, invoice)
      checkLines(report, invoice)
      checkDiscount(report, invoice)
      // A trial's card check has a total of zero and posts nothing.
      const isPaid = invoice.status === 'paid' && invoice.amount > ZERO
      const posting = isPaid ? ledger.sale({ ...invoice, invoice_id: invoice.id }) : undefined
      comparePosting(report, 'sale', invoice.id, posting, invoice.lines)
      const due = isPaid && !invoice.is_waived ? sum(invoice.amount, invoice.tax) : null
      if (invoice.charged === due) return
      const detail = `charged ${amountOrNothing(invoice.charged)}, expected ${amountOrNothing(due)}`
      report.differ('a paid invoice has its charge', invoice.id, detail)
    },
    await idsSince(db, since, INVOICES),
  )
}

async function readInvoices(db: Db, page: IdPage): Promise<CheckedInvoice[]> {
  return await db.rows<CheckedInvoice>(sql`select i.id, i.app_id, i.kind, i.status, i.is_waived,
      i.amount, i.tax, i.fee, i.fixed_fee, i.add_on_fee, i.commission, i.brought_by,
      i.affiliate_id, i.created_at, i.seller_id, q.state, q.rule, q.rate_ppm, q.taxable_ppm,
      q.amount as quote_amount, q.tax as quote_tax,
      (select coalesce(sum(n.amount), 0)::bigint from invoice_lines n
        where n.invoice_id = i.id) as lines_total,
      ${linesOfKind('price')} as price, ${linesOfKind('discount')} as discount,
      d.percent, d.amount as off,
      c.amount as charged, ${linesOf('sale', sql`i.id`)} as lines
    from ${pageOfInvoices(page)} i join tax_quotes q on q.id = i.tax_quote_id
      left join charges c on c.invoice_id = i.id
      left join invoice_lines o on o.invoice_id = i.id and o.kind = 'discount'
      left join discount_codes d on d.app_id = i.app_id and d.code = o.code
    order by i.id`)
}

/**
 * The page alone: joined before it is cut, each page reads the other tables from their beginning.
 */
function pageOfInvoices(page: IdPage): Sql {
  return sql`(select * from invoices where ${ofPage(sql`id`, page)})`
}

function checkDivision(report: Report, invoice: CheckedInvoice, history: AddOnHistory): void {
  const { id, amount, fee, fixed_fee, add_on_fee, commission, brought_by, affiliate_id } = invoice
  const divide = (has_add_on: boolean) =>
    billing.feeOn(amount, { brought_by, has_add_on }, fixedOf(invoice))
  const isRight = (has_add_on: boolean) => {
    const expected = divide(has_add_on)
    return (
      expected.fee === fee && expected.fixed_fee === fixed_fee && expected.add_on_fee === add_on_fee
    )
  }
  const possible = hadAddOn(invoice.created_at, history)
  if (!possible.some(isRight)) {
    const [has_add_on = false] = possible
    const of = (part: billing.Fee) =>
      `${formatMoney(part.fee)} with ${formatMoney(part.add_on_fee)} for the add-on`
    const detail = `the fee on ${formatMoney(amount)} is ${of(invoice)}, expected ${of(divide(has_add_on))}`
    report.differ('a fee follows its terms', id, detail)
  }
  const expected = billing.commissionOn(fee, affiliate_id)
  // A waived amount has none; earlier ones had.
  if (commission === expected || (invoice.is_waived && commission === ZERO)) return
  const detail = `it is ${formatMoney(commission)}, expected ${formatMoney(expected)}`
  report.differ('a commission is a quarter of the fee', id, detail)
}

/** The fixed part of the fee is charged once a period, so an upgrade has none of its own. */
function fixedOf({ kind, fixed_fee }: CheckedInvoice): Cents {
  return kind === 'upgrade' && fixed_fee === ZERO ? ZERO : billing.FIXED_FEE
}

/** The sum of an invoice's lines of a kind. */
function linesOfKind(kind: billing.InvoiceLineKind): Sql {
  return sql`(select coalesce(sum(n.amount), 0)::bigint from invoice_lines n
    where n.invoice_id = i.id and n.kind = ${kind})`
}

/** A discount is what its code takes off the price; without its code, nothing. */
function checkDiscount(report: Report, invoice: CheckedInvoice): void {
  const { id, price, discount, percent, off } = invoice
  const isKnown = percent !== null || off !== null
  const expected = isKnown ? cents(-discounts.amountOff({ percent, amount: off }, price)) : ZERO
  if (discount === expected) return
  const detail = `it is ${formatMoney(discount)}, expected ${formatMoney(expected)}`
  report.differ('a discount is what its code takes off', id, detail)
}

function checkLines(report: Report, { id, amount, lines_total }: CheckedInvoice): void {
  if (lines_total === amount) return
  const detail = `its lines come to ${formatMoney(lines_total)}, its amount is ${formatMoney(amount)}`
  report.differ('the lines of an invoice add up to it', id, detail)
}

function checkQuote(report: Report, invoice: CheckedInvoice): void {
  const { id, amount, quote_amount, quote_tax, rule } = invoice
  const isTrial = amount === ZERO
  if (!isTrial && (amount !== quote_amount || invoice.tax !== quote_tax)) {
    const detail = `${formatMoney(amount)} and ${formatMoney(invoice.tax)} tax, quoted ${formatMoney(quote_amount)} and ${formatMoney(quote_tax)}`
    report.differ('an invoice charges its quote', id, detail)
  }
  // A tax service computes by rules of its own.
  if (!rule.startsWith('US-')) return
  const expected = tax.taxOn(quote_amount, invoice)
  if (quote_tax !== expected) {
    const detail = `${rule} makes ${formatMoney(expected)}, quoted ${formatMoney(quote_tax)}`
    report.differ('a quote follows its rule', id, detail)
  }
  // An agreed amount is charged at once, but the answer may arrive on another day.
  const day = isoDate(invoice.created_at)
  const rule_of_day = tax.ruleFor(invoice.state, day).rule
  if (rule === rule_of_day) return
  const detail = `on ${day} the rule is ${rule_of_day}, charged by ${rule}`
  report.differ('a charge follows the rate of its day', id, detail)
}

/** When an app's add-on was enabled. */
interface AddOnHistory {
  addon_enabled_at: Date | null
  /** True if the app's clock was ahead of the clock that dated the switch. */
  is_ahead: boolean
  switches: { at: Date; is_on: boolean }[]
}

async function addOnHistories(db: Db, ids: AppId[]): Promise<Map<AppId, AddOnHistory>> {
  const rows = await db.rows<Omit<AddOnHistory, 'switches'> & { id: AppId }>(sql`
    select id, addon_enabled_at, clock_ahead > 0 as is_ahead from apps where id = any(${ids})`)
  const switches = await db.rows<{ app_id: AppId; at: Date; is_on: boolean }>(sql`
    select app_id, at, is_on from add_on_switches where app_id = any(${ids}) order by number`)
  const histories = new Map(rows.map((app) => [app.id, { ...app, switches: [] } as AddOnHistory]))
  for (const { app_id, ...each } of switches) histories.get(app_id)?.switches.push(each)
  return histories
}

/** Whether sales paid for the add-on at a time; both answers where the clocks leave it open. */
function hadAddOn(at: Date, { addon_enabled_at, switches, is_ahead }: AddOnHistory): boolean[] {
  const if_always_on = { addon_enabled_at, addon_disabled_at: null }
  if (!apps.addOnOf(at, if_always_on).is_charged) return [false]
  if (switches.every(({ is_on }) => is_on)) return [true]
  const isMoment = switches.some((each) => each.at.getTime() === at.getTime())
  if (is_ahead || isMoment) return [true, false]
  return [switches.findLast((each) => each.at <= at)?.is_on ?? true]
}
