import type { FastifyInstance, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import { readListing } from '#flows/listing'
import type { World } from '#flows/world'
import { noteReferrer, viaService } from '#http/attribution'
import { paramsOf } from '#http/input'
import { people, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import { ZERO } from '#platform/money'
import { HomePage } from './home-page.tsx'
import { type Plan, ProductPage, type Screenshot } from './product-page.tsx'
import { findApps, placeOf } from './search.ts'
import { appData, homeData } from './structured-data.ts'

/** The home page and the product pages. */
export function marketplace(app: FastifyInstance, world: World): void {
  const declare = (scope: FastifyInstance) => {
    scope.get('/', async (request, reply) => {
      await noteReferrer(world, request, reply)
      const results = await findApps(world, request)
      // Staff work in live mode.
      const needs_staff = !world.live && !(await identity.hasStaff(world.db))
      const { base_url, operator } = world.config
      const structured_data = homeData(base_url, operator)
      return sendPage(reply, HomePage({ needs_staff, base_url, structured_data, results }))
    })

    scope.get(PRODUCT, async (request, reply) => {
      const app = await readApp(world, request)
      await noteReferrer(world, request, reply)
      const shown = await readListing(world.db, app)
      const canonical_url = `${world.config.base_url}/apps/${app.slug}/`
      const plans = app.listing_mode === 'external' ? [] : await plansOf(world, app)
      const { categories } = shown
      const icon = apps.iconPath(app)
      const screenshots = await screenshotsOf(world, app)
      const page = ProductPage({
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
          ...categories.map((name) => ({ name, href: placeOf({ category: name }) })),
          ...[...shown.industries, ...shown.tags].map((name) => ({
            name,
            href: placeOf({ q: name }),
          })),
        ],
        is_external: app.listing_mode === 'external',
        plans,
        highlighted: await catalog.highlighted(world.db, app.id),
        on_sale: app.external_sales_enabled,
        sections: shown.sections.map(({ title, body }) => ({ title, clean_html: body })),
        features: shown.features.map(({ product_ids, ...each }) => ({
          ...each,
          plan_ids: product_ids,
        })),
      })
      return sendPage(reply, page)
    })
  }
  people(app, world, declare, { compressed: true })
}

const PRODUCT = '/apps/:slug/'

async function readApp({ db }: World, request: FastifyRequest): Promise<apps.App> {
  const { slug } = paramsOf(PRODUCT, request)
  const app = await apps.findPublishedBySlug(db, slug)
  if (!app) throw refuse('not_found')
  return app
}

async function screenshotsOf({ db }: World, app: apps.App): Promise<Screenshot[]> {
  const images = await apps.screenshotsOf(db, app.id)
  return images.map((image) => ({
    ...image,
    src: apps.pathOf(image.id, image.width),
    sources: apps.widthsOf(image).map((width) => ({ src: apps.pathOf(image.id, width), width })),
  }))
}

async function plansOf(world: World, app: apps.App): Promise<Plan[]> {
  const { db } = world
  const products = await catalog.products(db, app.id)
  const prices = app.external_sales_enabled ? await catalog.livePrices(db, app.id) : []
  const plans = products.map(({ id, name, description, is_free, trial_days }) => {
    const free = { amount: ZERO, frequency: null, trial_days: 0, href: app.oauth_login_url }
    const paid = prices
      .filter((price) => price.product_id === id)
      .map((price) => ({
        amount: price.amount,
        frequency: price.frequency,
        trial_days,
        // Buyers from here count as brought by the service (spec: Fees).
        href: `/buy/${price.id}/?via=${viaService(world, price.id)}`,
      }))
    return { id, name, description, prices: is_free ? [free] : paid }
  })
  return plans.filter(({ prices }) => prices.length > 0)
}
