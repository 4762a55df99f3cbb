import type { World } from '#flows/world'
import type { Limit, LimitKey } from '#platform/limits'

/** There were too many attempts; `retry_after` is in seconds. */
export interface TooManyAttempts {
  outcome: 'too_often'
  retry_after: number
}

/** A sign-in that is refused. */
export type Refused = { outcome: 'wrong'; retry_after?: undefined } | TooManyAttempts

/** A limit, and the key that an attempt counts against. */
type LimitedAttempt = readonly [limit: Limit, key: LimitKey]

/** Counts an attempt against each limit, and returns how long to wait if one is used up. */
export async function countAttempts(
  { limits }: Pick<World, 'limits'>,
  attempts: readonly LimitedAttempt[],
): Promise<TooManyAttempts | undefined> {
  let retry_after = 0
  for (const [limit, key] of attempts) {
    const { allowed, reset_seconds } = await limits.consume(limit, key)
    if (!allowed) retry_after = Math.max(retry_after, reset_seconds)
  }
  return retry_after > 0 ? { outcome: 'too_often', retry_after } : undefined
}

/** Removes the counted attempts after a correct sign-in. */
export async function uncountAttempts(
  { limits }: Pick<World, 'limits'>,
  attempts: readonly LimitedAttempt[],
): Promise<void> {
  for (const [limit, key] of attempts) await limits.restore(limit, key)
}
