import type { World } from '#flows/world'
import type { Limit, LimitKey } from '#platform/limits'

/** There were too many tries; the next one is heard in so many seconds. */
export interface TooOften {
  outcome: 'too_often'
  retry_after: number
}

/** Somebody who gets no further. */
export type Refused = { outcome: 'wrong'; retry_after?: undefined } | TooOften

/** A limit, and whom a try counts against. */
type LimitedTry = readonly [limit: Limit, key: LimitKey]

/** Takes a try of each limit, and tells how long to wait where one of them has none left. */
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

/** Gives each try back to whoever turned out to be right. */
export async function giveTriesBack(
  { limits }: Pick<World, 'limits'>,
  tries: readonly LimitedTry[],
): Promise<void> {
  for (const [limit, key] of tries) await limits.giveBack(limit, key)
}
