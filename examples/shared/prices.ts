/** Live prices, cached for as long as the service allows, and a notice when there are none. */
import { type Client, type Price, type Prices, PurserError } from '@purser/client'

export type PriceList =
  | { kind: 'prices'; prices: Prices }
  | { kind: 'not_on_sale' }
  | { kind: 'unavailable' }

export type Plan = { product_id: string; name: string; prices: Price[] }

const FAULT_AGE_SECONDS = 5

/**
 * Returns the current prices. It never throws for an error of the service, so that a page can show
 * without prices.
 */
export function livePrices(client: Client, max_age_seconds: number): () => Promise<PriceList> {
  let list: Promise<PriceList> | undefined
  let fresh_until = 0

  async function load(): Promise<PriceList> {
    try {
      const prices = await client.prices()
      fresh_until = Date.now() + max_age_seconds * 1000
      return { kind: 'prices', prices }
    } catch (error) {
      fresh_until = Date.now() + Math.min(FAULT_AGE_SECONDS, max_age_seconds) * 1000
      if (!(error instanceof PurserError)) throw error
      return { kind: error.code === 'not_found' ? 'not_on_sale' : 'unavailable' }
    }
  }

  return () => {
    if (!list || Date.now() >= fresh_until) {
      fresh_until = Number.POSITIVE_INFINITY
      list = load()
    }
    return list
  }
}

/** The prices by plan, in the service's order. */
export function plans({ prices }: Prices): Plan[] {
  const byProduct = Map.groupBy(prices, (price) => price.product_id)
  return [...byProduct].map(([product_id, of]) => ({
    product_id,
    name: of[0]?.product_name ?? '',
    prices: of,
  }))
}

/** The display name of a license's plan, if the prices contain it. */
export function planName(list: PriceList, product_public_id: string): string | null {
  if (list.kind !== 'prices') return null
  const price = list.prices.prices.find((one) => one.product_id === product_public_id)
  return price?.product_name ?? null
}

/** `$12.00` */
export function money({ amount, currency }: Price): string {
  return new Intl.NumberFormat('en-US', { style: 'currency', currency }).format(Number(amount))
}

/**
 * How much a year costs less than twelve months of the same plan, in whole percent; 0 if it does
 * not.
 */
export function yearlySaving(year: Price, plan: Plan): number {
  const month = plan.prices.find((price) => price.frequency === 'month')
  if (year.frequency !== 'year' || !month || month.currency !== year.currency) return 0
  return Math.max(0, Math.floor(100 - (100 * Number(year.amount)) / (12 * Number(month.amount))))
}
