import * as apps from '#domain/apps'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { ChangeId } from '#platform/ids'
import { describeProduct } from './describe.ts'
import { replaceFeatures } from './features.ts'
import type { ListingFields } from './read.ts'
import { replaceSections } from './sections.ts'
import { type ListingChanges, updateListing } from './update.ts'
import { replaceVersions } from './versions.ts'
import type { ListingWrite } from './write.ts'
import type { AppListing, ListedVersion, ListingWriteResult, RefusedWrite } from './write-result.ts'

/**
 * Undoes a change: writes the state before it again, through the same rules, as a change of its
 * own. Products and prices come back under their ids, so that their buy links work again. Whatever
 * prevents it, such as subscriptions to a product that would be removed, is returned as faults.
 */
export async function revertChange(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: { app: apps.App; change_id: ChangeId } & Pick<ListingWrite, 'basis'>,
): Promise<
  | ListingWriteResult<AppListing>
  | ListingWriteResult<ListedVersion[]>
  | RefusedWrite
  | 'not_revertible'
> {
  const { app, change_id, basis } = facts
  const change = await apps.findChange(world.db, { app_id: app.id, id: change_id })
  if (!change) return 'not_revertible'
  const order = { app, dry_run: false, reverts: change.id, basis }
  switch (change.action) {
    case 'listing.updated':
      return await updateListing(world, actor, { ...order, changes: undone(change) })
    case 'listing.sections_replaced': {
      const { sections } = change.before as Pick<AppListing, 'sections'>
      return await replaceSections(world, actor, { ...order, sections })
    }
    case 'listing.features_replaced': {
      const { features } = change.before as Pick<AppListing, 'features'>
      return await replaceFeatures(world, actor, { ...order, features })
    }
    case 'versions.replaced': {
      const { versions } = change.before as { versions: ListedVersion[] }
      return await replaceVersions(world, actor, { ...order, versions: versions.map(versionInput) })
    }
    case 'product.described': {
      const { product_public_id, description } = change.before as ListedVersion
      return await describeProduct(world, actor, {
        ...order,
        product_id: product_public_id,
        description,
      })
    }
    default:
      return 'not_revertible'
  }
}

/** The texts and names that a change altered, as they were; later changes by others stay. */
function undone(change: apps.Change): ListingChanges {
  const [before, after] = [change.before, change.after] as [ListingFields, ListingFields]
  const fields = (Object.keys(before) as (keyof ListingFields)[]).filter(
    (field) => JSON.stringify(before[field]) !== JSON.stringify(after[field]),
  )
  return Object.fromEntries(fields.map((field) => [field, before[field]]))
}

/** A product as it was, as input to `replaceVersions`. */
function versionInput({ product_public_id, name, is_free, trial_days, prices }: ListedVersion) {
  return {
    product_id: product_public_id,
    name,
    is_free,
    trial_days,
    prices: prices.map(({ public_id, amount, frequency }) => ({
      id: public_id,
      amount,
      frequency,
    })),
  }
}
