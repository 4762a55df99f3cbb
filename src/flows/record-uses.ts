import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { type BufferedTally, openTally } from '#platform/tally'

/** A counter of license uses in memory; a key check writes nothing to the database. */
export function openUses(): BufferedTally<licensing.Use> {
  return openTally(({ license_id, kind, network }) => `${license_id} ${kind} ${network}`)
}

/** Writes the counts since the last time; run every few seconds, and at shutdown. */
export async function recordUses({ db, uses }: World): Promise<void> {
  await uses.drain((counted) =>
    licensing.addUses(
      db,
      counted.map(({ thing, ...times }) => ({ ...thing, ...times })),
    ),
  )
}
