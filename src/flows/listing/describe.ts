import * as catalog from '#domain/catalog'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { textFault, tidyText } from '#platform/text'
import { readVersions } from './read.ts'
import { type ListingWrite, write } from './write.ts'
import type { ListedVersion, RefusedWrite, Written } from './written.ts'

/** Changes the description of one product (spec: update_product_description). */
export async function describeProduct(
  world: World,
  actor: ActorOf<'seller' | 'agent'>,
  facts: ListingWrite & { product_id: string; description: string },
): Promise<Written<ListedVersion[]> | RefusedWrite> {
  const find = async (tx: Db, app_id: AppId) =>
    catalog.findVersion(await catalog.existingVersions(tx, app_id), facts.product_id)
  return await write(world, actor, facts, {
    action: 'product.described',
    async read(tx, app) {
      const product_public_id = (await find(tx, app.id))?.id
      const versions = await readVersions(tx, app.id)
      const own = versions.find((each) => each.product_public_id === product_public_id)
      return { product_public_id, description: own?.description }
    },
    state: async (tx, app) => await readVersions(tx, app.id),
    async apply(tx, _now, app) {
      const description = tidyText(facts.description)
      const found = await find(tx, app.id)
      const id = found?.is_live ? found.id : undefined
      const message = textFault(description, catalog.PRODUCT_DESCRIPTION)
      const unknown = {
        path: 'product_id',
        message: 'This app has no version for sale with this ID.',
      }
      const faults = [
        ...(id === undefined ? [unknown] : []),
        ...(message === undefined ? [] : [{ path: 'description', message }]),
      ]
      if (id !== undefined && faults.length === 0) await catalog.describe(tx, id, description)
      return { faults }
    },
    receipt: () => ({ removed: [] }),
  })
}
