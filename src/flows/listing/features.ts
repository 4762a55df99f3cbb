import * as catalog from '#domain/catalog'
import * as listing from '#domain/listing'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { removedEntries } from './differences.ts'
import { readListing } from './read.ts'
import { type ListingWrite, writeListing } from './write.ts'
import type { AppListing, ListingWriteResult, RefusedWrite } from './write-result.ts'

/** Replaces an app's feature table; an empty one clears it (spec: replace_feature_table). */
export async function replaceFeatures(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: ListingWrite & { features: readonly listing.FeatureInput[] },
): Promise<ListingWriteResult<AppListing> | RefusedWrite> {
  return await writeListing(world, actor, facts, {
    action: 'listing.features_replaced',
    read: async (tx, app) => ({ features: await listing.features(tx, app.id) }),
    state: readListing,
    async apply(tx, _now, app) {
      const existing = await catalog.existingVersions(tx, app.id)
      const { value, faults } = listing.readFeatures(facts.features, (product_id) =>
        catalog.soldVersion(existing, product_id),
      )
      if (faults.length === 0) await listing.setFeatures(tx, app.id, value)
      return { faults }
    },
    receipt: (before, after) => ({
      removed: removedEntries(before.features, after.features, ({ name }) => name).map(
        ({ name }) => ({
          kind: 'feature',
          id: null,
          name,
        }),
      ),
    }),
  })
}
