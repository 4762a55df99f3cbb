import * as affiliates from '#domain/affiliates'
import type { World } from '#flows/world'

/** Writes the clicks since the last time; run every few seconds, and at shutdown. */
export async function recordClicks({ db, clicks }: World): Promise<void> {
  await clicks.drain((counted) => affiliates.addClicks(db, counted))
}
