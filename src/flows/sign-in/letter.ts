import type { World } from '#flows/world'
import { LETTERS, queueFreshLetter } from '#platform/letters'
import type { Limit } from '#platform/limits'
import { networksOf } from '#platform/networks'
import type { Claim } from './password.ts'
import { type TooOften, takeTries } from './tries.ts'

const LETTERS_OF_ADDRESS: Limit = { name: 'sign-in-letters', points: 4, seconds: 900 }
const LETTERS_OF_NETWORK: Limit = { name: 'sign-in-letters-network', points: 30, seconds: 900 }

/** The letters with which an account's owner gets in: a sign-in link, or a new password. */
export type Entry = 'sign_in' | 'set_password'

/** Takes the points of one more letter to an address that somebody merely typed. */
export async function takeLetter(world: World, claim: Claim): Promise<TooOften | undefined> {
  return await takeTries(world, [
    [LETTERS_OF_ADDRESS, claim.email_normalised],
    [LETTERS_OF_NETWORK, networksOf(claim.origin.address)],
  ])
}

/** What came of asking for a letter. */
export type Asked = { outcome: 'sent' } | TooOften

/**
 * Sends a link to an address if it has an account. Whether it has one is looked up when the letter
 * is written, so that what is done and answered here is the same either way.
 */
export async function sendEntryLetter(
  world: World,
  claim: Claim & { kind: Entry; return_to: string | undefined },
): Promise<Asked> {
  const { db, clock, jobs } = world
  const tooOften = await takeLetter(world, claim)
  if (tooOften) return tooOften
  const letter = {
    kind: claim.kind,
    subject_id: claim.email_normalised,
    ...(claim.return_to === undefined ? {} : { facts: { return_to: claim.return_to } }),
  }
  await db.tx((tx) => queueFreshLetter(tx, clock.now(), world, letter))
  jobs.wake(LETTERS)
  return { outcome: 'sent' }
}
