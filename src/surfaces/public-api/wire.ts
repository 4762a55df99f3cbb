import { z } from 'zod'
import type { App } from '#domain/apps'
import type { Product, ProductPrice } from '#domain/catalog'
import { FREQUENCIES } from '#platform/calendar'
import { formatAmount } from '#platform/money'

/** The app profile (spec: Public endpoints). */
export const AppProfile = z
  .strictObject({
    client_id: z.string().describe("The app's public OAuth client ID."),
    name: z.string(),
    tagline: z.string(),
    listing_mode: z.enum(['marketplace', 'external']),
    url: z.url().describe("The seller's registered website."),
    marketplace_url: z.url().describe('The product page on the service.'),
  })
  .meta({ id: 'AppProfile' })

const Price = z
  .strictObject({
    public_id: z.string().describe('The price ID, `prc_…`, as in Buy links.'),
    product_id: z.string().describe('The product ID, `prod_…`.'),
    product_name: z.string(),
    amount: z
      .string()
      .regex(/^\d+\.\d{2}$/)
      .describe('A decimal string with two decimals, such as `12.00`.'),
    currency: z.literal('usd'),
    is_recurring: z.boolean(),
    frequency: z.enum(FREQUENCIES).nullable().describe('Null for a one-time price.'),
    buy_url: z.url().describe('The hosted checkout link.'),
  })
  .meta({ id: 'Price' })

export const PricesResponse = z
  .strictObject({
    client_id: z.string(),
    app_name: z.string(),
    has_free_tier: z.boolean().describe('True if the app has a free product.'),
    prices: z.array(Price),
  })
  .meta({ id: 'PricesResponse' })

/** The profile of an app. */
export function writeProfile(base_url: string, app: App): z.infer<typeof AppProfile> {
  return {
    client_id: app.id,
    name: app.name,
    tagline: app.tagline,
    listing_mode: app.listing_mode,
    url: app.url,
    marketplace_url: `${base_url}/apps/${app.slug}/`,
  }
}

/** The prices of an app; free products are a flag and never a price. */
export function writePrices(
  base_url: string,
  app: App,
  products: Product[],
  prices: ProductPrice[],
): z.infer<typeof PricesResponse> {
  return {
    client_id: app.id,
    app_name: app.name,
    has_free_tier: products.some((product) => product.is_free),
    prices: prices.map((price) => ({
      public_id: price.id,
      product_id: price.product_id,
      product_name: price.product_name,
      amount: formatAmount(price.amount),
      currency: price.currency,
      is_recurring: price.frequency !== null,
      frequency: price.frequency,
      buy_url: `${base_url}/buy/${price.id}/`,
    })),
  }
}
