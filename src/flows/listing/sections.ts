import * as listing from '#domain/listing'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { removedEntries } from './differences.ts'
import { readListing } from './read.ts'
import { type ListingWrite, writeListing } from './write.ts'
import type { AppListing, ListingWriteResult, RefusedWrite } from './write-result.ts'

/** Replaces an app's detail sections; an empty list clears them (spec: replace_detail_sections). */
export async function replaceSections(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: ListingWrite & { sections: readonly listing.Section[] },
): Promise<ListingWriteResult<AppListing> | RefusedWrite> {
  return await writeListing(world, actor, facts, {
    action: 'listing.sections_replaced',
    read: async (tx, app) => ({ sections: await listing.sections(tx, app.id) }),
    state: readListing,
    async apply(tx, _now, app) {
      const { value, faults } = listing.readSections(facts.sections)
      if (faults.length === 0) await listing.setSections(tx, app.id, value)
      return { faults }
    },
    receipt: (before, after) => ({
      removed: removedEntries(before.sections, after.sections, ({ title }) => title).map(
        ({ title }) => ({
          kind: 'section',
          id: null,
          name: title,
        }),
      ),
    }),
  })
}
