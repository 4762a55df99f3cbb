import { addSeconds } from '#platform/calendar'
import type { TaxProvider } from './provider.ts'
import type { Quote } from './quotes.ts'

const QUOTE_SECONDS = 24 * 3600

/** Whether a quote can still be charged: for 24 hours, and never past the start of a new rate. */
export function isQuoteValid(now: Date, quote: Quote, provider: TaxProvider): boolean {
  return now < addSeconds(quote.created_at, QUOTE_SECONDS) && !provider.mayDiffer(now, quote)
}
