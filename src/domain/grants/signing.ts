import { addSeconds } from '#platform/calendar'
import { LIFETIMES } from './lifetimes.ts'

/** A private key as a JSON Web Key, and when it starts to sign. */
export interface SigningKey {
  id: string
  jwk: Record<string, string>
  active_from: Date
}

/** A new key is published for this many seconds before it signs, so that every process knows it. */
export const PUBLISHED_AHEAD = 600
// Another process may sign with the key before, until it reloads the keys.
const SLACK = 600
const LONGEST = Math.max(LIFETIMES.id_token, LIFETIMES.lease)

/**
 * The keys in the order in which they are published: the one that signs now comes first. A key that
 * was replaced stays until its last signature has expired; `expired` are the keys past that.
 */
export function orderKeys<Key extends { active_from: Date }>(
  now: Date,
  keys: Key[],
): { published: Key[]; expired: Key[] } {
  const newestFirst = keys.toSorted(
    (left, right) => right.active_from.getTime() - left.active_from.getTime(),
  )
  const signing = newestFirst.find(({ active_from }) => active_from <= now) ?? newestFirst.at(-1)
  const isExpired = (_key: Key, index: number) => {
    const successor = newestFirst[index - 1]
    return successor && addSeconds(successor.active_from, LONGEST + SLACK) <= now
  }
  const expired = newestFirst.filter(isExpired)
  const others = newestFirst.filter((key) => key !== signing && !expired.includes(key))
  return { published: signing ? [signing, ...others] : [], expired }
}
