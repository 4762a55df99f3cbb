import { Stripe } from 'stripe'
import { ProcessorUnreachable } from '#domain/payments'
import { type Figures, type TaxProvider, type TaxRecords, TaxUnreachable } from '#domain/tax'
import { isoDate } from '#platform/calendar'
import { mintId } from '#platform/ids'
import { cents, MILLION, ZERO } from '#platform/money'
import { callStripe, isRefusal, reportRefusal, type StripeParts } from './client.ts'

/** Software as a service for personal use (https://docs.stripe.com/tax/tax-codes). */
const TAX_CODE = 'txcd_10103000'
// Stripe names no rate for an amount of zero, and later periods need the rate.
const EXAMPLE = cents(100_00)
const PPM_OF_PERCENT = MILLION / 100

/** Stripe Tax behind the tax port: exclusive tax by the buyer's state and ZIP code. */
export function openTaxes(parts: StripeParts): TaxProvider {
  const { stripe, random } = parts
  return {
    name: 'stripe',
    records: openRecords(parts),
    async quote(_now, { state, zip, amount }) {
      const address = { country: 'US', state, postal_code: zip }
      const asked = amount === ZERO ? EXAMPLE : amount
      const item = {
        amount: asked,
        reference: 'plan',
        tax_behavior: 'exclusive',
        tax_code: TAX_CODE,
      }
      const request = {
        currency: 'usd',
        customer_details: { address, address_source: 'billing' },
        line_items: [item],
      }
      const idempotencyKey = mintId(random, 'tax')
      try {
        const create = () => stripe.tax.calculations.create(request, { idempotencyKey })
        const figures = figuresOf(await callStripe(create), asked)
        return amount === ZERO ? { ...figures, tax: ZERO } : figures
      } catch (error) {
        const isStripes =
          error instanceof ProcessorUnreachable || error instanceof Stripe.errors.StripeError
        if (!isStripes) throw error
        if (isRefusal(error)) await reportRefusal(parts, 'a tax calculation', error)
        throw new TaxUnreachable('Stripe Tax returned no tax', { cause: error })
      }
    },
    // Rates change at the start of a day.
    mayDiffer: (now, { rule, created_at }) =>
      !rule.startsWith('stripe:') || isoDate(now) !== isoDate(created_at),
  }
}

/**
 * The tax that Stripe computed; rates of state, county and city are added up, also of one whose tax
 * on a small amount is less than half a cent.
 */
function figuresOf(calculation: Stripe.Tax.Calculation, amount: number): Figures {
  const taxed = calculation.tax_breakdown.filter(({ taxable_amount }) => taxable_amount > 0)
  const percent = taxed.reduce((all, { tax_rate_details }) => {
    return all + Number(tax_rate_details.percentage_decimal)
  }, 0)
  const taxable = Math.max(0, ...taxed.map(({ taxable_amount }) => taxable_amount))
  return {
    tax: cents(calculation.tax_amount_exclusive),
    rule: `stripe:${calculation.id}`,
    rate_ppm: Math.round(percent * PPM_OF_PERCENT),
    taxable_ppm: taxed.length > 0 ? Math.round((taxable / amount) * MILLION) : MILLION,
  }
}

/** Records sales at Stripe; the reference is the key, so each sale is recorded once. */
function openRecords(parts: StripeParts): TaxRecords {
  const { transactions } = parts.stripe.tax
  const record = async (reference: string, create: () => Promise<{ id: string }>) => {
    try {
      return (await callStripe(create)).id
    } catch (error) {
      if (error instanceof ProcessorUnreachable) throw new TaxUnreachable(error.message)
      if (!isRefusal(error)) throw error
      await reportRefusal(parts, `recording the tax of ${reference}`, error)
      return undefined
    }
  }
  return {
    sale: ({ rule, reference }) =>
      record(reference, () =>
        transactions.createFromCalculation(
          { calculation: rule.slice('stripe:'.length), reference },
          { idempotencyKey: `tax:${reference}` },
        ),
      ),
    reversal: ({ transaction_id: original_transaction, reference, amount }) =>
      record(reference, () =>
        transactions.createReversal(
          { mode: 'partial', original_transaction, reference, flat_amount: -amount },
          { idempotencyKey: `tax:${reference}` },
        ),
      ),
    // A reversal cannot be deleted. A full reversal of a partial one cancels it out.
    undoing: ({ transaction_id: original_transaction, reference }) =>
      record(reference, () =>
        transactions.createReversal(
          { mode: 'full', original_transaction, reference },
          { idempotencyKey: `tax:${reference}` },
        ),
      ),
  }
}
