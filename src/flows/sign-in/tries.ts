import type { World } from '#flows/world'
import type { Limit, LimitKey } from '#platform/limits'

/** There were too many attempts; `retry_after` is in seconds. */
export interface TooOften {
  outcome: 'too_often'
  retry_after: number
}

/** A sign-in that is refused. */
export type Refused = { outcome: 'wrong'; retry_after?: undefined } | TooOften

/** A limit, and the key that an attempt counts against. */
type LimitedTry = readonly [limit: Limit, key: LimitKey]

/** Counts an attempt against each limit, and returns how long to wait if one is used up. */
export async function takeTries(
  { limits }: Pick<World, 'limits'>,
  tries: readonly LimitedTry[],
): Promise<TooOften | undefined> {
  let retry_after = 0
  for (const [limit, key] of tries) {
    const { allowed, reset_seconds } = await limits.take(limit, key)
    if (!allowed) retry_after = Math.max(retry_after, reset_seconds)
  }
  return retry_after > 0 ? { outcome: 'too_often', retry_after } : undefined
}

/** Gives the counted attempts back after a correct sign-in. */
export async function giveTriesBack(
  { limits }: Pick<World, 'limits'>,
  tries: readonly LimitedTry[],
): Promise<void> {
  for (const [limit, key] of tries) await limits.giveBack(limit, key)
}
