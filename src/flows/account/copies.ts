import * as identity from '#domain/identity'
import type { LiveMode, World } from '#flows/world'
import { readInPages } from '#platform/read-in-pages'
import { deleteCopy } from './deletion.ts'

/**
 * Deletes the copies of accounts that were deleted in live mode. It checks every copy each time, so
 * one that was deleted while test mode was down is deleted too. A failed deletion is logged and
 * retried in the next run.
 */
export async function deleteCopies(world: World, live: LiveMode): Promise<void> {
  const pages = readInPages<identity.MirroredUser, string>(
    ({ after = '', limit }) => identity.mirroredUsers(world.db, { after, limit }),
    ({ id }) => id,
  )
  for await (const copies of pages) {
    const exist = new Set(await live.existing(copies.map(({ live_id }) => live_id)))
    for (const { id, live_id } of copies) {
      if (world.stopping.aborted) return
      if (exist.has(live_id)) continue
      try {
        await deleteCopy(world, id)
      } catch (error) {
        world.log.error({ error, user_id: id }, 'copy of an account not deleted; will retry')
      }
    }
  }
}
