import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import type { Origin } from '#platform/audit'
import type { Limit } from '#platform/limits'
import { networksOf } from '#platform/networks'
import { noteRefused } from './refused.ts'
import { giveTriesBack, type Refused, takeTries } from './tries.ts'

const TRIES_OF_ACCOUNT: Limit = { name: 'sign-in-account', points: 10, seconds: 900 }
const TRIES_OF_NETWORK: Limit = { name: 'sign-in-network', points: 100, seconds: 900 }

/** Somebody who says to be the owner of an address. */
export interface Claim {
  email_normalised: string
  origin: Origin
}

export type SignedIn = { outcome: 'signed_in'; user_id: string } | Refused

/**
 * Checks a password. An unknown address takes as long and reads the same as a wrong password. Only
 * what was wrong counts as a try.
 */
export async function signInWithPassword(
  world: World,
  claim: Claim & { password: string },
): Promise<SignedIn> {
  const { db } = world
  const tries = [
    [TRIES_OF_ACCOUNT, claim.email_normalised],
    [TRIES_OF_NETWORK, networksOf(claim.origin.address)],
  ] as const
  const tooOften = await takeTries(world, tries)
  if (tooOften) return tooOften
  const user = await identity.findByEmail(db, claim.email_normalised)
  const isRight = await identity.hasPassword(user?.password_hash ?? null, claim.password)
  // A password proves nothing that was set before the mailbox was proven.
  const isOpen = user?.email_verified_at != null && user.locked_at === null
  if (!isRight || !isOpen) {
    await noteRefused(world, claim.origin, { user_id: user?.id, by: 'password' })
    return { outcome: 'wrong' }
  }
  await giveTriesBack(world, tries)
  return { outcome: 'signed_in', user_id: user.id }
}
