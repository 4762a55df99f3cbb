import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Origin } from '#platform/audit'
import type { Delay, Limit } from '#platform/limits'
import { networkOf, networksOf } from '#platform/networks'
import { noteRefused } from './refused.ts'
import { giveTriesBack, type Refused, type TooOften, takeTries } from './tries.ts'

const TRIES_OF_NETWORK: Limit = { name: 'sign-in-network', points: 100, seconds: 900 }
/** Of one account from one network, or from one browser in which its owner was signed in. */
const WRONG: Delay = { name: 'sign-in-wrong', free: 5, most_seconds: 900, memory_seconds: 3600 }
/** Of one account from all browsers that its owner never used: a password is not guessed by so many. */
const STRANGERS: Limit = { name: 'sign-in-strangers', points: 300, seconds: 3600 }

/** A browser in which an account's owner was signed in before. */
export interface KnownDevice {
  user_id: string
  device_id: string
}

/** Somebody who says to be the owner of an address. */
export interface PasswordClaim {
  email_normalized: string
  origin: Origin
  known: KnownDevice | undefined
}

export type SignedIn = { outcome: 'signed_in'; user_id: string } | Refused

/**
 * Checks a password. An unknown address takes as long and reads the same as a wrong password. Only
 * what was wrong counts as a try. Strangers make each other wait and never the owner, who comes from
 * another network or from a browser that is known.
 */
export async function signInWithPassword(
  world: World,
  claim: PasswordClaim & { password: string },
): Promise<SignedIn> {
  const { db, limits } = world
  const { email_normalized, origin } = claim
  const user = await identity.findByEmail(db, email_normalized)
  const known = user && claim.known?.user_id === user.id ? claim.known : undefined
  const tries = [
    [TRIES_OF_NETWORK, networksOf(origin.address)] as const,
    ...(known ? [] : [[STRANGERS, email_normalized] as const]),
  ]
  const tooOften = await takeTries(world, tries)
  if (tooOften) return tooOften
  const key = known ? known.device_id : `${email_normalized} ${networkOf(origin.address)}`
  const wait = await limits.slow(WRONG, key)
  if (wait > 0) return { outcome: 'too_often', retry_after: wait } satisfies TooOften
  const isRight = await identity.hasPassword(user?.password_hash ?? null, claim.password)
  // A password proves nothing that was set before the mailbox was proven.
  const isOpen = user?.email_verified_at != null && user.locked_at === null
  if (!isRight || !isOpen) {
    await noteRefused(world, origin, { user_id: user?.id, by: 'password' })
    return { outcome: 'wrong' }
  }
  await giveTriesBack(world, tries)
  await limits.unslow(WRONG, key)
  return { outcome: 'signed_in', user_id: user.id }
}
