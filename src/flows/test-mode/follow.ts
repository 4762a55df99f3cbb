import * as sellers from '#domain/sellers'
import type { LiveMode, World } from '#flows/world'
import { mirror } from './mirror.ts'

/**
 * Copies again every seller whose members use test mode, so that a member who was removed in live
 * mode loses access within a minute, without anyone entering.
 */
export async function followLive(world: World, live: LiveMode): Promise<void> {
  for (const seller_id of await sellers.sellersInUse(world.db)) {
    if (world.stopping.aborted) return
    await mirror(world, live, seller_id)
  }
}
