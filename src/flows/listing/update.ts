import * as apps from '#domain/apps'
import * as listing from '#domain/listing'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { FieldFault } from '#platform/problem'
import { removedEntries } from './differences.ts'
import { type ListingFields, readListing, readListingFields } from './read.ts'
import { type ListingWrite, writeListing } from './write.ts'
import type { AppListing, ListingWriteResult, RefusedWrite } from './write-result.ts'

/** Changes to a listing's texts and names; an absent field stays as it is. */
export type ListingChanges = { [Field in keyof ListingFields]?: ListingFields[Field] | undefined }

/** Each list of names, and the kind of its entries. */
const NAME_LISTS = {
  categories: 'category',
  industries: 'industry',
  tags: 'tag',
} as const
const LISTS = Object.keys(NAME_LISTS) as (keyof typeof NAME_LISTS)[]

const ONE_WAY_WARNING =
  'This app is external without approval for external sales. After you switch to marketplace, ' +
  'only support can change it back to external.'

/** Changes a listing's texts and names (spec: update_app_listing). */
export async function updateListing(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: ListingWrite & { changes: ListingChanges },
): Promise<ListingWriteResult<AppListing> | RefusedWrite> {
  const { changes } = facts
  return await writeListing(world, actor, facts, {
    action: 'listing.updated',
    read: readListingFields,
    state: readListing,
    async apply(tx, now, app) {
      const read = readChanges(app, changes)
      if (read.faults.length > 0) return read
      await apps.setListing(tx, app.id, { ...app, ...read.text })
      for (const { kind, names } of read.lists) {
        await listing.setNames(tx, now, { app_id: app.id, kind, names })
      }
      const isOneWay = apps.isOneWay(app, changes.listing_mode ?? app.listing_mode)
      return { faults: [], warnings: isOneWay ? [ONE_WAY_WARNING] : [] }
    },
    receipt: (before, after) => ({
      removed: LISTS.flatMap((list) =>
        removedEntries(before[list], after[list], (name) => name).map((name) => ({
          kind: NAME_LISTS[list],
          id: null,
          name,
        })),
      ),
    }),
  })
}

/** The changes as they are stored, and every fault in them. */
function readChanges(app: apps.App, changes: ListingChanges) {
  const faults: FieldFault[] = []
  const text: Partial<apps.ListingText> = {}
  const { listing_mode } = changes
  for (const field of ['tagline', 'description'] as const) {
    if (changes[field] === undefined) continue
    const read = listing.readText(field, changes[field], listing.LIMITS[field])
    faults.push(...read.faults)
    text[field] = read.value
  }
  const lists = LISTS.flatMap((list) => {
    if (changes[list] === undefined) return []
    const read = listing.readNames(list, changes[list])
    faults.push(...read.faults)
    return { kind: NAME_LISTS[list], names: read.value }
  })
  if (listing_mode !== undefined) {
    const message = apps.listingModeFault(app, listing_mode)
    if (message !== undefined) faults.push({ path: 'listing_mode', message })
    text.listing_mode = listing_mode
  }
  return { faults, text, lists }
}
