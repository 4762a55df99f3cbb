import type { VNode } from 'preact'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { readListing } from '#flows/listing'
import type { World } from '#flows/world'
import { viaService } from '#http/attribution'
import { buyPath } from '#http/buy-link'
import { ZERO } from '#platform/money'
import { type Plan, ProductPage, type Screenshot } from './product-page.tsx'
import { searchPath } from './search.ts'
import { appData } from './structured-data.ts'

/**
 * The product page of an app. A preview also shows the plans of an app that is not for sale, and
 * search engines may not list it.
 */
export async function productPage(
  world: World,
  app: apps.App,
  { is_preview = false }: { is_preview?: boolean } = {},
): Promise<VNode> {
  const shown = await readListing(world.db, app)
  const canonical_url = `${world.config.base_url}/apps/${app.slug}/`
  const plans = app.listing_mode === 'external' ? [] : await plansOf(world, app, is_preview)
  const { categories } = shown
  const icon = apps.iconPath(app)
  const screenshots = await screenshotsOf(world, app)
  return ProductPage({
    is_preview,
    is_suspended: app.is_suspended,
    structured_data: appData({
      ...app,
      canonical_url,
      categories,
      plans,
      icon,
      screenshots: screenshots.map(({ src }) => src),
    }),
    name: app.name,
    tagline: app.tagline,
    icon,
    screenshots,
    description: app.description,
    website: app.url,
    canonical_url,
    labels: [
      ...categories.map((name) => ({ name, href: searchPath({ category: name }) })),
      ...[...shown.industries, ...shown.tags].map((name) => ({
        name,
        href: searchPath({ q: name }),
      })),
    ],
    is_external: app.listing_mode === 'external',
    plans,
    highlighted: await catalog.highlighted(world.db, app.id),
    on_sale: app.external_sales_enabled || is_preview,
    is_early: is_preview && !app.is_on_sale,
    sections: shown.sections.map(({ title, body }) => ({ title, clean_html: body })),
    features: shown.features.map(({ product_ids, ...each }) => ({
      ...each,
      plan_ids: product_ids,
    })),
  })
}

async function screenshotsOf({ db }: World, app: apps.App): Promise<Screenshot[]> {
  const images = await apps.screenshotsOf(db, app.id)
  return images.map((image) => ({
    ...image,
    src: apps.pathOf(image.id, image.width),
    sources: apps.widthsOf(image).map((width) => ({ src: apps.pathOf(image.id, width), width })),
  }))
}

async function plansOf(world: World, app: apps.App, is_preview: boolean): Promise<Plan[]> {
  const { db } = world
  const products = await catalog.products(db, app.id)
  const isForSale = app.external_sales_enabled || is_preview
  const prices = isForSale ? await catalog.livePrices(db, app.id) : []
  const plans = products.map(({ id, name, description, is_free, trial_days }) => {
    const free = { amount: ZERO, frequency: null, trial_days: 0, href: app.oauth_login_url }
    const paid = prices
      .filter((price) => price.product_id === id)
      .map((price) => ({
        amount: price.amount,
        frequency: price.frequency,
        // A plan's trial is of its recurring prices only.
        trial_days: price.frequency === null ? 0 : trial_days,
        // Buyers from here count as brought by the service (spec: Fees).
        href: buyPath(price.id, is_preview ? {} : { via: viaService(world, price.id) }),
      }))
    return { id, name, description, prices: is_free ? [free] : paid }
  })
  return plans.filter(({ prices }) => prices.length > 0)
}
