import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Origin } from '#platform/audit'
import type { UserId } from '#platform/ids'
import type { Delay, Limit } from '#platform/limits'
import { networkOf, networksOf } from '#platform/networks'
import { countAttempts, type Refused, type TooManyAttempts, uncountAttempts } from './attempts.ts'
import { auditRefusedSignIn } from './audit-refused.ts'

const ATTEMPTS_OF_NETWORK: Limit = { name: 'sign-in-network', points: 100, seconds: 900 }
/** Wrong passwords for one account, by network or by a browser in which its owner signed in. */
const WRONG: Delay = { name: 'sign-in-wrong', free: 5, most_seconds: 900, memory_seconds: 3600 }
/** Wrong passwords for one account from all unknown browsers: more than this is guessing. */
const UNKNOWN_BROWSERS: Limit = { name: 'sign-in-unknown-browser', points: 300, seconds: 3600 }

/** A browser in which an account's owner has signed in before. */
export interface KnownDevice {
  user_id: UserId
  device_id: string
}

/** A sign-in by email and password, not verified yet. */
export interface PasswordClaim {
  email_normalized: string
  origin: Origin
  known: KnownDevice | undefined
}

/** A sign-in by a password; `password_hash` is the stored one, which `signIn` compares again. */
export type SignedInByPassword =
  | { outcome: 'signed_in'; user_id: UserId; password_hash: string }
  | Refused

/**
 * Checks a password. An unknown address takes as long and answers the same as a wrong password.
 * Only wrong passwords count as attempts. Unknown browsers throttle each other but never the owner,
 * who signs in from another network or from a known browser.
 */
export async function signInWithPassword(
  world: World,
  claim: PasswordClaim & { password: string },
): Promise<SignedInByPassword> {
  const { db, limits } = world
  const { email_normalized, origin } = claim
  const user = await identity.findByEmail(db, email_normalized)
  const known = user && claim.known?.user_id === user.id ? claim.known : undefined
  const attempts = [
    [ATTEMPTS_OF_NETWORK, networksOf(origin.address)] as const,
    ...(known ? [] : [[UNKNOWN_BROWSERS, email_normalized] as const]),
  ]
  const tooOften = await countAttempts(world, attempts)
  if (tooOften) return tooOften
  const key = known ? known.device_id : `${email_normalized} ${networkOf(origin.address)}`
  const wait = await limits.delay(WRONG, key)
  if (wait > 0) return { outcome: 'too_often', retry_after: wait } satisfies TooManyAttempts
  const password_hash = user?.password_hash ?? null
  const isRight = await identity.hasPassword(password_hash, claim.password)
  // A password that was set before the mailbox was verified proves nothing.
  const isOpen = user?.email_verified_at != null && user.locked_at === null
  if (!isRight || !isOpen || password_hash === null) {
    await auditRefusedSignIn(world, origin, { user_id: user?.id, by: 'password' })
    return { outcome: 'wrong' }
  }
  await uncountAttempts(world, attempts)
  await limits.clearDelay(WRONG, key)
  return { outcome: 'signed_in', user_id: user.id, password_hash }
}
