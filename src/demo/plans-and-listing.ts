import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as listing from '#domain/listing'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type AppId, mintId } from '#platform/ids'
import type { CastListing, CastPlan } from './cast.ts'

/** Adds the plans of an app, with their prices. */
export async function seedPlans(
  { clock, random }: World,
  tx: Db,
  app_id: AppId,
  plans: readonly CastPlan[],
): Promise<void> {
  const now = clock.now()
  for (const [position, { prices, is_highlighted, ...plan }] of plans.entries()) {
    const product_id = mintId(random, 'prod')
    await catalog.addProduct(tx, now, { ...plan, id: product_id, app_id, position, trial_days: 0 })
    if (is_highlighted) await catalog.highlight(tx, app_id, product_id)
    for (const price of prices) {
      await catalog.addPrice(tx, now, { ...price, id: mintId(random, 'prc'), product_id })
    }
  }
}

/** Fills a listing that is still empty; what its seller wrote or cleared stays. */
export async function seedListing(
  { clock }: World,
  tx: Db,
  app_id: AppId,
  text: CastListing,
): Promise<void> {
  const changes = await apps.changesOf(tx, app_id, { limit: 1 })
  const sections = await listing.sections(tx, app_id)
  if (changes.length > 0 || sections.length > 0) return
  const now = clock.now()
  const products = await catalog.products(tx, app_id)
  const idOf = (plan: string) => products.filter(({ name }) => name === plan).map(({ id }) => id)
  const { categories, industries, tags } = text
  await listing.setNames(tx, now, { app_id, kind: 'category', names: categories })
  await listing.setNames(tx, now, { app_id, kind: 'industry', names: industries })
  await listing.setNames(tx, now, { app_id, kind: 'tag', names: tags })
  await listing.setSections(tx, app_id, text.sections)
  const features = text.features.map(({ name, description, plans }) => ({
    name,
    description,
    product_ids: plans.flatMap(idOf),
  }))
  await listing.setFeatures(tx, app_id, features)
}
