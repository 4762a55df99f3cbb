import { isoDate } from '#platform/calendar'
import type { Random } from '#platform/random'
import { sha256 } from '#platform/secrets'
import { openTally } from '#platform/tally'
import type { Click, CountedClicks } from './clicks.ts'

/** Visitors that one process distinguishes in a day. */
const MAX_VISITORS = 100_000

/**
 * Counts clicks in memory until `recordClicks` writes them. A visitor who follows a link to the
 * same app again on the same day counts once: a salted digest of the visitor is in memory until
 * the day ends, and nowhere else.
 */
export interface ClickCounter {
  add(click: Click, visitor: string, at: Date): void
  drain(write: (clicks: CountedClicks[]) => Promise<void>): Promise<void>
}

/** A counter without clicks. */
export function openClicks(random: Random): ClickCounter {
  const nameOf = ({ affiliate_id, app_id }: Click) => `${affiliate_id} ${app_id}`
  const tally = openTally(nameOf)
  let day = ''
  let salt = ''
  let seen = new Set<string>()
  return {
    add(click, visitor, at) {
      if (isoDate(at) !== day) {
        day = isoDate(at)
        salt = random.bytes(16).toString('hex')
        seen = new Set()
      }
      const digest = sha256(`${salt} ${nameOf(click)} ${visitor}`).toString('base64url')
      if (seen.has(digest) || seen.size >= MAX_VISITORS) return
      seen.add(digest)
      tally.add(click, at)
    },
    drain: (write) =>
      tally.drain((counted) =>
        write(counted.map(({ thing, ...times }) => ({ ...thing, ...times }))),
      ),
  }
}
