import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { networkOf } from '#platform/http'
import type { Limit } from '#platform/limits'

const TRIES_OF_ACCOUNT: Limit = { name: 'sign-in-account', points: 10, seconds: 900 }
const TRIES_OF_NETWORK: Limit = { name: 'sign-in-network', points: 100, seconds: 900 }

/** Somebody who says to be the owner of an address. */
export interface Claim {
  email_normalised: string
  ip: string
}

export type SignedIn =
  | { outcome: 'signed_in'; user_id: string }
  | { outcome: 'wrong' | 'too_often' }

/** Checks a password. An unknown address takes as long and reads the same as a wrong password. */
export async function signInWithPassword(
  { db, limits }: World,
  claim: Claim & { password: string },
): Promise<SignedIn> {
  const account = await limits.take(TRIES_OF_ACCOUNT, claim.email_normalised)
  const network = await limits.take(TRIES_OF_NETWORK, networkOf(claim.ip))
  if (!account.allowed || !network.allowed) return { outcome: 'too_often' }
  const user = await identity.findByEmail(db, claim.email_normalised)
  const isRight = await identity.hasPassword(user?.password_hash ?? null, claim.password)
  // A password proves nothing that was set before the mailbox was proven.
  const isOpen = user?.email_verified_at != null && user.locked_at === null
  return isRight && isOpen ? { outcome: 'signed_in', user_id: user.id } : { outcome: 'wrong' }
}
