/** The listing, plans and prices of an app, in the form of its file. */
import type { CallTool } from '../agent/mcp.ts'

/** The texts and names of a listing, as `update_app_listing` takes them. */
export interface ListingTexts {
  tagline: string
  description: string
  listing_mode: string
  categories: string[]
  industries: string[]
  tags: string[]
}

export interface DetailSection {
  title: string
  body: string
}

export interface FeatureRow {
  name: string
  description: string
  product_ids: string[]
}

/** A plan with its prices. One that the service does not have yet has no `product_id`. */
export interface PlanVersion {
  product_id?: string
  name: string
  description: string
  is_free: boolean
  prices: { amount: string; frequency: string | null }[]
}

/** Everything that a file of an app can contain. */
export interface AppState {
  listing: ListingTexts
  sections: DetailSection[]
  features: FeatureRow[]
  versions: PlanVersion[]
}

/** A product as `list_products` returns it. */
interface ListedProduct {
  product_public_id: string
  name: string
  description: string
  is_free: boolean
  is_active: boolean
  prices: { public_id: string; amount: string; frequency: string | null }[]
}

/** Reads an app from the service. */
export async function readState(call: CallTool, app_slug: string): Promise<AppState> {
  const { listing } = await call<{ listing: AppState & ListingTexts }>('get_app_listing', {
    app_slug,
  })
  const { products } = await call<{ products: ListedProduct[] }>('list_products', { app_slug })
  const { tagline, description, listing_mode, categories, industries, tags } = listing
  return {
    listing: { tagline, description, listing_mode, categories, industries, tags },
    sections: listing.sections.map(({ title, body }) => ({ title, body })),
    features: listing.features.map(({ name, description, product_ids }) => {
      return { name, description, product_ids }
    }),
    versions: products.filter(({ is_active }) => is_active).map(versionOf),
  }
}

function versionOf(product: ListedProduct): PlanVersion {
  const { product_public_id: product_id, name, description, is_free, prices } = product
  return {
    product_id,
    name,
    description,
    is_free,
    prices: prices.map(({ amount, frequency }) => ({ amount, frequency })),
  }
}
