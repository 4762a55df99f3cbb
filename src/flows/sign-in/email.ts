import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { queueFreshEmail } from '#platform/email-queue'
import type { Limit } from '#platform/limits'
import { networksOf, networksWith } from '#platform/networks'
import { countAttempts, type TooManyAttempts } from './attempts.ts'
import type { PasswordClaim } from './password.ts'

/**
 * Emails requested from one network, or from one browser in which the account's owner signed in.
 */
const EMAILS_OF_BROWSER: Limit = { name: 'sign-in-emails', points: 4, seconds: 900 }
const EMAILS_OF_NETWORK: Limit = { name: 'sign-in-emails-network', points: 30, seconds: 900 }
/** Emails to one mailbox. A link outlives this window, so at its end there is a valid one. */
const EMAILS_TO_MAILBOX: Limit = { name: 'sign-in-emails-mailbox', points: 8, seconds: 900 }

/** The emails with which an account's owner signs in: a sign-in link, or a new password. */
export type SignInEmailKind = 'sign_in' | 'set_password'

/**
 * Counts one more email to an address that was merely typed; `enough` where the mailbox has so many
 * recent ones that another would be a nuisance.
 */
export async function countSignInEmail(
  world: World,
  claim: PasswordClaim & { kind: SignInEmailKind | 'sign_up' },
): Promise<TooManyAttempts | { outcome: 'enough' } | undefined> {
  const { email_normalized, origin, known } = claim
  const user = known && (await identity.findByEmail(world.db, email_normalized))
  const isKnown = known !== undefined && user?.id === known.user_id
  const requester = isKnown ? known.device_id : networksWith(origin.address, email_normalized)
  const tooOften = await countAttempts(world, [
    [EMAILS_OF_BROWSER, requester],
    [EMAILS_OF_NETWORK, networksOf(origin.address)],
  ])
  if (tooOften || isKnown) return tooOften
  const mailbox = `${claim.kind} ${email_normalized}`
  const { allowed } = await world.limits.consume(EMAILS_TO_MAILBOX, mailbox)
  return allowed ? undefined : { outcome: 'enough' }
}

/** The outcome of requesting an email. */
export type SignInEmailSent = { outcome: 'sent' } | TooManyAttempts

/**
 * Sends a link to an address if it has an account. Whether it has one is looked up when the email
 * is written, so that the request behaves the same either way.
 */
export async function sendSignInEmail(
  world: World,
  claim: PasswordClaim & { kind: SignInEmailKind; return_to: string | undefined; language: string },
): Promise<SignInEmailSent> {
  const { db, clock } = world
  const refused = await countSignInEmail(world, claim)
  if (refused?.outcome === 'too_often') return refused
  if (refused) return { outcome: 'sent' }
  const { return_to, language } = claim
  const email = {
    kind: claim.kind,
    subject_id: claim.email_normalized,
    facts: return_to === undefined ? { language } : { language, return_to },
  }
  await db.tx((tx) => queueFreshEmail(tx, clock.now(), world, email))
  return { outcome: 'sent' }
}
