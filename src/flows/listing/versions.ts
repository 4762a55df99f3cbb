import * as catalog from '#domain/catalog'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { readActiveVersions, readVersions } from './read.ts'
import { type ListingWrite, writeListing } from './write.ts'
import type { ListedVersion, ListingWriteResult, RefusedWrite, Removed } from './write-result.ts'

/**
 * Replaces an app's products and prices, all or none (spec: replace_versions rules). A buyer who is
 * paying at this moment pays the price that was shown, or is asked again: see `confirm`.
 */
export async function replaceVersions(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: ListingWrite & { versions: readonly catalog.VersionInput[] },
): Promise<ListingWriteResult<ListedVersion[]> | RefusedWrite> {
  return await replaceBy(world, actor, facts, () => facts.versions)
}

/**
 * Adds products with their prices to those that the app sells when they are written, whatever
 * another member or an agent changed since the page was opened.
 */
export async function addVersions(
  world: World,
  actor: ActorOf<'seller'>,
  facts: ListingWrite & { added: readonly catalog.VersionInput[] },
): Promise<ListingWriteResult<ListedVersion[]> | RefusedWrite> {
  return await replaceBy(world, actor, facts, (present) => [
    ...present.map(({ product_public_id: product_id, name, is_free, trial_days, prices }) => {
      const kept = prices.map(({ amount, frequency }) => ({ amount, frequency }))
      return { product_id, name, is_free, trial_days, prices: kept }
    }),
    ...facts.added,
  ])
}

/** Replaces the products by what is determined from those that are sold, which are locked. */
async function replaceBy(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: ListingWrite,
  versionsFrom: (present: ListedVersion[]) => readonly catalog.VersionInput[],
): Promise<ListingWriteResult<ListedVersion[]> | RefusedWrite> {
  const restore = facts.reverts !== undefined
  return await writeListing(world, actor, facts, {
    action: 'versions.replaced',
    read: async (tx, app) => ({ versions: await readActiveVersions(tx, app.id) }),
    state: async (tx, app) => await readVersions(tx, app.id),
    async apply(tx, now, app) {
      await catalog.lockProducts(tx, app.id)
      const versions = versionsFrom(await readActiveVersions(tx, app.id))
      const existing = await catalog.existingVersions(tx, app.id)
      const planned = catalog.planVersions(versions, existing, { restore })
      if ('faults' in planned) return planned
      const { plan } = planned
      await catalog.applyVersions(tx, now, world.random, { app_id: app.id, plan })
      return { faults: [] }
    },
    receipt: (before, after) => receiptOfVersions(before.versions, after.versions),
  })
}

/** What was for sale before the change and no longer is. */
export function receiptOfVersions(before: ListedVersion[], after: ListedVersion[]) {
  const kept = new Set(after.map(({ product_public_id }) => product_public_id))
  const sold = new Set(after.flatMap(({ prices }) => prices.map(({ public_id }) => public_id)))
  const removed: Removed[] = []
  const dead_buy_links: string[] = []
  for (const { product_public_id, name, prices } of before) {
    if (!kept.has(product_public_id)) removed.push({ kind: 'version', id: product_public_id, name })
    for (const { public_id, amount, frequency } of prices) {
      if (sold.has(public_id)) continue
      const often = frequency === null ? 'once' : `per ${frequency}`
      removed.push({ kind: 'price', id: public_id, name: `${name}, ${amount} USD ${often}` })
      dead_buy_links.push(public_id)
    }
  }
  return { removed, dead_buy_links }
}
