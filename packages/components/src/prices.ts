/**
 * The live prices of an app, requested once for all elements of a page (spec: Public endpoints).
 */

/** A price, as the service returns it. */
export interface ListedPrice {
  /** Prefix `prc_`. */
  public_id: string
  product_id: string
  product_name: string
  /** A decimal string such as `"12.00"`, before tax. */
  amount: string
  /** A lowercase ISO currency code. */
  currency: string
  is_recurring: boolean
  frequency: 'day' | 'week' | 'month' | 'year' | null
  buy_url: string
}

/** The prices of an app. A free plan has no price rows. */
export interface ListedPrices {
  client_id: string
  app_name: string
  has_free_tier: boolean
  prices: ListedPrice[]
}

const TIMEOUT_MS = 10_000
/** As long as the service lets browsers keep the response. */
const SHARED_MS = 60_000

const shared = new Map<string, { since: number; prices: Promise<ListedPrices> }>()

/** The prices of an app. Elements of one page share a request; a failed one is not kept. */
export function loadPrices(service: string, client_id: string): Promise<ListedPrices> {
  const url = `${service}/api/v1/public/apps/${encodeURIComponent(client_id)}/prices/`
  const known = shared.get(url)
  if (known && Date.now() - known.since < SHARED_MS) return known.prices
  const prices = request(url)
  shared.set(url, { since: Date.now(), prices })
  prices.catch(() => shared.delete(url))
  return prices
}

async function request(url: string): Promise<ListedPrices> {
  const answer = await fetch(url, { credentials: 'omit', signal: AbortSignal.timeout(TIMEOUT_MS) })
  if (!answer.ok) throw new Error(`The service answered ${answer.status}`)
  const body: ListedPrices = await answer.json()
  if (!Array.isArray(body.prices)) throw new Error('The answer has no prices')
  return body
}
