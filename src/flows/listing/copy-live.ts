import * as catalog from '#domain/catalog'
import type { LiveContent, World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { formatAmount } from '#platform/money'
import { readActiveVersions, readVersions } from './read.ts'
import { receiptOfVersions } from './versions.ts'
import { type ListingWrite, writeListing } from './write.ts'
import type { ListedVersion, ListingWriteResult, RefusedWrite } from './write-result.ts'

/**
 * Replaces the plans of an app in test mode by those of live mode, all or none, under the ids that
 * they have there (decision 105). A plan that live mode does not sell stays, after the others,
 * while test customers subscribe to it. Subscriptions keep the price at which they were bought.
 */
export async function copyLivePlans(
  world: World,
  actor: ActorOf<'seller'>,
  facts: ListingWrite & { content: Pick<LiveContent, 'products' | 'prices'> },
): Promise<(ListingWriteResult<ListedVersion[]> & { kept: string[] }) | RefusedWrite> {
  const { products, prices } = facts.content
  const copied = products.map((product) => ({
    ...product,
    prices: prices.filter(({ product_id }) => product_id === product.id),
  }))
  let kept: catalog.ExistingVersion[] = []
  const outcome = await writeListing(world, actor, facts, {
    action: 'versions.replaced',
    read: async (tx, app) => ({ versions: await readActiveVersions(tx, app.id) }),
    state: async (tx, app) => await readVersions(tx, app.id),
    async apply(tx, now, app) {
      await catalog.lockProducts(tx, app.id)
      for (const product of products) await catalog.addWithdrawn(tx, now, product)
      for (const price of prices) await catalog.addWithdrawnPrice(tx, now, price)
      const existing = await catalog.existingVersions(tx, app.id)
      kept = existing.filter((each) => mustStay(each, products))
      const versions = [...copied, ...kept.map(withLivePrices)].map(versionInput)
      const planned = catalog.planVersions(versions, existing, { restore: true })
      if ('faults' in planned) return planned
      const { plan } = planned
      await catalog.applyVersions(tx, now, world.random, { app_id: app.id, plan })
      for (const { id, description } of products) await catalog.describe(tx, id, description)
      return { faults: [] }
    },
    receipt: (before, after) => receiptOfVersions(before.versions, after.versions),
  })
  return 'faults' in outcome ? outcome : { ...outcome, kept: kept.map(({ name }) => name) }
}

function mustStay(version: catalog.ExistingVersion, live: catalog.Product[]): boolean {
  const { is_live, subscriptions, purchases } = version
  return is_live && subscriptions + purchases > 0 && !live.some(({ id }) => id === version.id)
}

function withLivePrices(version: catalog.ExistingVersion) {
  return { ...version, prices: version.prices.filter(({ is_live }) => is_live) }
}

function versionInput(
  version: ReturnType<typeof withLivePrices> | (catalog.Product & { prices: Prices }),
) {
  const { id, name, is_free, trial_days, prices } = version
  return {
    product_id: id,
    name,
    is_free,
    trial_days,
    prices: prices.map((price) => ({ ...price, amount: formatAmount(price.amount) })),
  }
}

type Prices = Pick<catalog.Price, 'id' | 'amount' | 'frequency'>[]
