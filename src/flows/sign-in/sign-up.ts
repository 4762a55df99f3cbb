import * as identity from '#domain/identity'
import { resetUnverifiedAccount } from '#flows/account-access'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import { mintId, type UserId } from '#platform/ids'
import { countSignInEmail, type SignInEmailSent } from './email.ts'
import type { KnownDevice } from './password.ts'

/** The submitted sign-up form. */
export interface SignUpRequest {
  email: string
  email_normalized: string
  password: string
  browser_hash: Buffer
  return_to: string | undefined
  language: string
  origin: Origin
  known: KnownDevice | undefined
}

/**
 * Stores the submitted form and sends an email to the address. The account is created when the
 * mailbox confirms. Nothing here checks whether one exists: the response, its work and its timing
 * are the same for every address.
 */
export async function signUp(world: World, typed: SignUpRequest): Promise<SignInEmailSent> {
  const { db, clock, random } = world
  const { email, email_normalized, browser_hash, return_to = null, language } = typed
  const refused = await countSignInEmail(world, { ...typed, kind: 'sign_up' })
  if (refused?.outcome === 'too_often') return refused
  if (refused) return { outcome: 'sent' }
  const password_hash = await identity.hashPassword(typed.password)
  const now = clock.now()
  await db.tx(async (tx) => {
    const id = mintId(random, 'sup')
    const facts = { id, email, email_normalized, password_hash, browser_hash, return_to, language }
    await identity.addSignUp(tx, now, facts)
    await queueFreshEmail(tx, now, world, { kind: 'sign_up', subject_id: id })
  })
  return { outcome: 'sent' }
}

/**
 * Confirms a sign-up: creates the account. If the email is opened in another browser than the one
 * that chose the password, this may be another person, who sets a `password` of their own. An
 * account that is already verified stays as it is.
 */
export async function confirmSignUp(
  { db, clock, random }: World,
  facts: {
    token: string
    password: string | undefined
    browser_hash: Buffer
    origin: Origin
  },
): Promise<{ user_id: UserId; email_normalized: string; return_to: string | null } | undefined> {
  const { token, password, browser_hash, origin } = facts
  const chosen = password === undefined ? undefined : await identity.hashPassword(password)
  const now = clock.now()
  return await db.tx(async (tx) => {
    const typed = await identity.peekSignUp(tx, now, token)
    const isSame = typed?.browser_hash.equals(browser_hash)
    const password_hash = chosen ?? (isSame ? typed?.password_hash : undefined)
    if (!typed || !password_hash || !(await identity.useSignUp(tx, now, typed.id))) return undefined
    const { user_id } = await identity.findOrAddUser(tx, now, {
      id: mintId(random, 'usr'),
      email: typed.email,
      email_normalized: typed.email_normalized,
      created_via: 'signup',
      language: typed.language,
    })
    const user = await identity.getUser(tx, user_id)
    if (user.locked_at) return undefined
    if (user.email_verified_at === null) {
      await resetUnverifiedAccount(tx, now, user_id)
      await identity.proveMailbox(tx, now, user_id)
      await identity.setPassword(tx, now, { user_id, password_hash })
    }
    await audit(tx, now, {
      actor: accountActor(user_id, origin),
      action: 'account.sign_up',
      subject: user_id,
    })
    const { email_normalized, return_to } = typed
    return { user_id, email_normalized, return_to }
  })
}
