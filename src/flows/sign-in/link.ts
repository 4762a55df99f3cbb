import { z } from 'zod'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import { endAllAccess, resetUnverifiedAccount } from '#flows/account-access'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import { idSchema, type UserId } from '#platform/ids'
import type { Queue } from '#platform/jobs'

/**
 * Accounts that the mailbox's owner disowned ("This was not me"): their paid licenses are refunded
 * and ended.
 */
export const DISOWNED: Queue<Disowned> = {
  name: 'disowned-accounts',
  schema: z.object({ user_id: idSchema('usr'), request_id: z.string() }),
  retries: 9,
  retry_seconds: 60,
}

/** A disowned account, and the request that disowned it. */
interface Disowned {
  user_id: UserId
  request_id: string
}

/** What a person submitted with an emailed link. */
export type LinkSubmission =
  | { purpose: 'verify_email' | 'sign_in' }
  | { purpose: 'set_password'; password: string }
  | { purpose: 'not_me' }

/**
 * Uses up an emailed link. It proves who owns the mailbox, so every other session of the account
 * ends. Undefined if the link is used, expired or unknown.
 */
export async function redeemLink(
  world: World,
  token: string,
  answer: LinkSubmission,
  origin: Origin,
): Promise<identity.AccountLink | undefined> {
  const { db, clock, jobs } = world
  const now = clock.now()
  const { purpose } = answer
  const password_hash =
    answer.purpose === 'set_password' ? await identity.hashPassword(answer.password) : undefined
  return await db.tx(async (tx) => {
    const link = await identity.useLink(tx, now, { token, purpose })
    if (!link) return undefined
    const { user_id } = link
    const user = await identity.getUser(tx, user_id)
    const isNew = user.email_verified_at === null
    if (isNew) await resetUnverifiedAccount(tx, now, user_id)
    // A plain sign-in to a verified account ends no other session; anything else does.
    else if (purpose !== 'sign_in') await endAllAccess(tx, now, user_id)
    if (purpose === 'not_me') {
      await identity.lockUser(tx, now, user_id)
      await billing.endCartsOf(tx, now, { user_id, email_normalized: user.email_normalized })
      await jobs.send(tx, DISOWNED, { user_id, request_id: origin.request_id })
    } else await identity.proveMailbox(tx, now, user_id)
    if (password_hash !== undefined) {
      await identity.setPassword(tx, now, { user_id, password_hash })
      const facts = { what: 'password_changed' } as const
      // A first password needs no notice; a changed one does, as another person may read the
      // mailbox.
      if (user.password_hash !== null) {
        await queueFreshEmail(tx, now, world, { kind: 'security', subject_id: user_id, facts })
      }
    }
    const action = `account.${purpose}` as const
    await audit(tx, now, { actor: accountActor(user_id, origin), action, subject: user_id })
    return link
  })
}

/**
 * Reverts a change of email, pending or done, at the request of the old mailbox. Every session
 * ends; the password, and second factors added since, were set by another person and are removed.
 */
export async function undoEmailChange(
  world: World,
  token: string,
  origin: Origin,
): Promise<EmailUndone> {
  try {
    return await disown(world, token, origin)
  } catch (error) {
    // Another account took the old address at this moment, and is found now.
    if (identity.isEmailTaken(error)) return await disown(world, token, origin)
    throw error
  }
}

type EmailUndone =
  | { outcome: 'undone'; user_id: UserId; email_normalized: string }
  | { outcome: 'used' | 'taken' }

async function disown({ db, clock }: World, token: string, origin: Origin): Promise<EmailUndone> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const link = await identity.useLink(tx, now, { token, purpose: 'undo_email' })
    const change = link?.about ? await identity.findEmailChange(tx, link.about) : undefined
    if (!change || change.ended_at) return { outcome: 'used' }
    const { user_id, old_email } = change
    const before = { user_id, ...identity.readEmail(old_email)! }
    const auditDisowned = { action: 'account.undo_email', subject: user_id } as const
    const actor = accountActor(user_id, origin)
    await payments.lockEmails(tx, [before.email_normalized])
    // Before the account is locked for its email: a token is stored with its grant locked first.
    await endAllAccess(tx, now, user_id)
    if ((await payments.isBuyingAgain(tx, before)) || !(await identity.setEmail(tx, before))) {
      // The old address belongs to another account, or will once its purchase is paid: staff must
      // review both.
      await identity.lockUser(tx, now, user_id)
      await audit(tx, now, { actor, ...auditDisowned, detail: { outcome: 'locked' } })
      return { outcome: 'taken' }
    }
    await identity.endChangesSince(tx, now, change)
    await identity.deleteFactors(tx, user_id, change.created_at)
    await identity.removePassword(tx, user_id)
    // Links that were sent to the other mailbox no longer work.
    await identity.expireLinks(tx, now, user_id)
    await audit(tx, now, { actor, ...auditDisowned })
    return { outcome: 'undone', ...before }
  })
}
