import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type * as tax from '#domain/tax'
import type { AffiliateId } from '#platform/ids'
import { type Cents, ZERO } from '#platform/money'

/** The total of an invoice, and how it is divided. Amounts are in cents, before tax. */
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
 * Divides the sum of an invoice's lines between tax, fee, commission and seller. The quote is on
 * that sum; for a trial, whose lines sum to zero, on the price that follows it.
 */
export function divide(
  now: Date,
  facts: {
    app: apps.App
    lines: readonly billing.InvoiceLine[]
    quote: tax.Quote
    brought_by: billing.BroughtBy
    affiliate_id: AffiliateId | null
    /** The fixed part of the fee; zero if the period was already charged one. */
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
