import * as catalog from '#domain/catalog'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import { textFault, tidyText } from '#platform/text'
import { readVersions } from './read.ts'
import { type ListingWrite, writeListing } from './write.ts'
import type { ListedVersion, ListingWriteResult, RefusedWrite } from './write-result.ts'

/** Changes the description of one product (spec: update_product_description). */
export async function describeProduct(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: ListingWrite & { product_id: string; description: string },
): Promise<ListingWriteResult<ListedVersion[]> | RefusedWrite> {
  const { product_id } = facts
  return await writeListing(world, actor, facts, {
    action: 'product.described',
    async read(tx, app) {
      const existing = await catalog.existingVersions(tx, app.id)
      const product_public_id = catalog.findVersion(existing, product_id)?.id
      const versions = await readVersions(tx, app.id)
      const own = versions.find((each) => each.product_public_id === product_public_id)
      return { product_public_id, description: own?.description }
    },
    state: async (tx, app) => await readVersions(tx, app.id),
    async apply(tx, _now, app) {
      const description = tidyText(facts.description)
      const sold = catalog.soldVersion(await catalog.existingVersions(tx, app.id), product_id)
      const message = textFault(description, catalog.PRODUCT_DESCRIPTION)
      const faults = [
        ...('message' in sold ? [{ path: 'product_id', message: sold.message }] : []),
        ...(message === undefined ? [] : [{ path: 'description', message }]),
      ]
      if ('id' in sold && faults.length === 0) await catalog.describe(tx, sold.id, description)
      return { faults }
    },
    receipt: () => ({ removed: [] }),
  })
}
