import * as licensing from '#domain/licensing'
import type { World } from '#flows/world'
import { type BufferedTally, openTally } from '#platform/tally'

/** A count of how licenses are used; nothing is written where a key is checked. */
export function openUses(): BufferedTally<licensing.Use> {
  return openTally(({ license_id, kind, network }) => `${license_id} ${kind} ${network}`)
}

/** Writes down what was counted since the last time; run every few seconds, and at the end. */
export async function rememberUses({ db, uses }: World): Promise<void> {
  await uses.drain((counted) =>
    licensing.addUses(
      db,
      counted.map(({ thing, ...times }) => ({ ...thing, ...times })),
    ),
  )
}
