import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as tax from '#domain/tax'
import { type Cents, ZERO } from '#platform/money'

/** What an invoice comes to, and how it is divided. Amounts are in cents, before tax. */
export interface InvoiceDivision
  extends Pick<
    billing.Invoice,
    | 'lines'
    | 'amount'
    | 'tax'
    | 'fee'
    | 'fixed_fee'
    | 'add_on_fee'
    | 'commission'
    | 'brought_by'
    | 'affiliate_id'
    | 'tax_quote_id'
  > {}

/**
 * Divides what the lines of an invoice come to between tax, fee, commission and seller. The quote
 * is on their sum; of a trial, whose lines come to nothing, on the price that follows it.
 */
export function divide(
  now: Date,
  facts: {
    app: apps.App
    lines: readonly billing.InvoiceLine[]
    quote: tax.Quote
    brought_by: billing.BroughtBy
    affiliate_id: string | null
    /** The fixed part of the fee, where the period does not have one yet. */
    fixed_fee: Cents
  },
): InvoiceDivision {
  const { app, lines, quote, brought_by, affiliate_id } = facts
  const amount = billing.linesTotal(lines)
  const terms = { brought_by, has_add_on: apps.addOnOf(now, app).is_charged }
  const fee = amount > ZERO ? billing.feeOn(amount, terms, facts.fixed_fee) : billing.NO_FEE
  return {
    lines,
    amount,
    tax: amount > ZERO ? quote.tax : ZERO,
    ...fee,
    commission: billing.commissionOn(fee.fee, affiliate_id),
    brought_by,
    affiliate_id,
    tax_quote_id: quote.id,
  }
}
