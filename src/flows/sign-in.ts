import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { audit } from '#platform/audit'
import { networkOf } from '#platform/http'
import { mintId } from '#platform/ids'
import { LETTERS, queueLetter } from '#platform/letters'
import type { Limit } from '#platform/limits'

const TRIES_OF_ACCOUNT: Limit = { name: 'sign-in-account', points: 10, seconds: 900 }
const TRIES_OF_NETWORK: Limit = { name: 'sign-in-network', points: 100, seconds: 900 }
const LETTERS_OF_ACCOUNT: Limit = { name: 'sign-in-letters', points: 4, seconds: 900 }
const LETTERS_OF_NETWORK: Limit = { name: 'sign-in-letters-network', points: 30, seconds: 900 }

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
  if (!user || !isRight || user.locked_at) return { outcome: 'wrong' }
  return { outcome: 'signed_in', user_id: user.id }
}

/** The letters with which an account's owner gets in: a sign-in link, or a new password. */
export type EntryLetter = 'sign_in' | 'set_password'

/** Sends a link to an address if it has an account; says the same where it has none. */
export async function sendEntryLetter(
  world: World,
  claim: Claim & { kind: EntryLetter; facts: Record<string, string> },
): Promise<'sent' | 'too_often'> {
  const { db, clock, random, limits, jobs } = world
  const account = await limits.take(LETTERS_OF_ACCOUNT, claim.email_normalised)
  const network = await limits.take(LETTERS_OF_NETWORK, networkOf(claim.ip))
  if (!account.allowed || !network.allowed) return 'too_often'
  const user = await identity.findByEmail(db, claim.email_normalised)
  if (user && !user.locked_at) {
    const id = mintId(random, 'letter')
    const letter = {
      id,
      cause: `${claim.kind}:${id}`,
      kind: claim.kind,
      subject_id: user.id,
      facts: claim.facts,
    }
    await db.tx((tx) => queueLetter(tx, clock.now(), jobs, letter))
    jobs.wake(LETTERS)
  }
  return 'sent'
}

/** What the reader of a mailbox did with a link from it. */
export type Answer =
  | { purpose: 'verify_email' | 'sign_in' }
  | { purpose: 'set_password'; password: string }
  | { purpose: 'not_me' }

/**
 * Uses up a link from a mailbox. Whoever answers is the mailbox's owner, so everybody else who got
 * into the account before is put out; undefined where the link is spent, expired or unknown.
 */
export async function answerLink(
  { db, clock }: World,
  token: string,
  answer: Answer,
): Promise<identity.Link | undefined> {
  const now = clock.now()
  const password_hash =
    answer.purpose === 'set_password' ? await identity.hashPassword(answer.password) : undefined
  return await db.tx(async (tx) => {
    const link = await identity.useLink(tx, now, { token, purpose: answer.purpose })
    if (!link) return undefined
    const { user_id } = link
    const user = (await identity.findUser(tx, user_id))!
    // A plain sign-in of a proven account ends nobody's session; anything else starts afresh.
    const startsAfresh = answer.purpose !== 'sign_in' || user.email_verified_at === null
    if (startsAfresh) await identity.endEverySession(tx, user_id)
    if (answer.purpose === 'not_me') await identity.lockUser(tx, now, user_id)
    else await identity.proveMailbox(tx, now, user_id)
    if (password_hash !== undefined) await identity.setPassword(tx, user_id, password_hash)
    await audit(tx, now, { actor: user_id, action: `account.${answer.purpose}`, subject: user_id })
    return link
  })
}
