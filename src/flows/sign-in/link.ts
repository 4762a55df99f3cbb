import * as billing from '#domain/billing'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import type { Db } from '#platform/db'
import { EMAIL_QUEUE, queueFreshEmail } from '#platform/email-queue'
import type { Queue } from '#platform/jobs'

/** Accounts whose mailbox's owner said "This was not me": what they pay for is undone. */
export const DISOWNED: Queue = { name: 'disowned-accounts', retries: 9, retry_seconds: 60 }

/** A disowned account, and the request that disowned it. */
export interface Disowned {
  user_id: string
  request_id: string
}

/** What the reader of a mailbox did with a link from it. */
export type LinkAnswer =
  | { purpose: 'verify_email' | 'sign_in' }
  | { purpose: 'set_password'; password: string }
  | { purpose: 'not_me' }

/**
 * Uses up a link from a mailbox. Whoever answers is the mailbox's owner, so everybody else who got
 * into the account before is put out; undefined where the link is spent, expired or unknown.
 */
export async function answerLink(
  world: World,
  token: string,
  answer: LinkAnswer,
  origin: Origin,
): Promise<identity.AccountLink | undefined> {
  const { db, clock, jobs } = world
  const now = clock.now()
  const { purpose } = answer
  const password_hash =
    answer.purpose === 'set_password' ? await identity.hashPassword(answer.password) : undefined
  const answered = await db.tx(async (tx) => {
    const link = await identity.useLink(tx, now, { token, purpose })
    if (!link) return undefined
    const { user_id } = link
    const user = (await identity.findUser(tx, user_id))!
    const isNew = user.email_verified_at === null
    if (isNew) await startAfresh(tx, now, user_id)
    // A plain sign-in of a proven account ends nobody's session; anything else does.
    else if (purpose !== 'sign_in') await putEverybodyOut(tx, now, user_id)
    if (purpose === 'not_me') {
      await identity.lockUser(tx, now, user_id)
      await billing.endCartsOf(tx, now, { user_id, email_normalized: user.email_normalized })
      await jobs.send(tx, DISOWNED, { user_id, request_id: origin.request_id })
    } else await identity.proveMailbox(tx, now, user_id)
    if (password_hash !== undefined) {
      await identity.setPassword(tx, user_id, password_hash)
      const facts = { what: 'password_changed' }
      // Who sets his first password knows; a changed one is told of, as somebody may read along.
      if (user.password_hash !== null) {
        await queueFreshEmail(tx, now, world, { kind: 'security', subject_id: user_id, facts })
      }
    }
    const action = `account.${purpose}`
    await audit(tx, now, { actor: accountActor(user_id, origin), action, subject: user_id })
    return link
  })
  jobs.wake(EMAIL_QUEUE)
  jobs.wake(DISOWNED)
  return answered
}

/** Ends all that anybody holds of an account: its sessions here, and what apps were given. */
async function putEverybodyOut(tx: Db, now: Date, user_id: string): Promise<void> {
  await identity.putEverybodyOut(tx, now, user_id)
  await grants.revokeEverything(tx, user_id)
}

/**
 * Takes away whatever anybody did in an account before its mailbox was proven: its sessions, its
 * password, its second factors, and a change of address on its way.
 */
export async function startAfresh(tx: Db, now: Date, user_id: string): Promise<void> {
  await putEverybodyOut(tx, now, user_id)
  await identity.dropFactors(tx, user_id)
  await identity.setPassword(tx, user_id, null)
}

/**
 * The reader of the old mailbox takes a change of address back, as asked for or as done. Whoever
 * asked for it is put out; the password, and second factors that came since, are theirs and go.
 */
export async function undoEmailChange(
  { db, clock }: World,
  token: string,
  origin: Origin,
): Promise<{ outcome: 'undone'; user_id: string } | { outcome: 'spent' | 'taken' }> {
  const now = clock.now()
  return await db.tx(async (tx) => {
    const link = await identity.useLink(tx, now, { token, purpose: 'undo_email' })
    const change = link?.about ? await identity.findEmailChange(tx, link.about) : undefined
    if (!change || change.ended_at) return { outcome: 'spent' }
    const { user_id, old_email } = change
    const before = { user_id, ...identity.readEmail(old_email)! }
    if (!(await identity.setEmail(tx, before))) {
      // Somebody opened an account for the old address meanwhile: staff must look at the two.
      await putEverybodyOut(tx, now, user_id)
      await identity.lockUser(tx, now, user_id)
      return { outcome: 'taken' }
    }
    await putEverybodyOut(tx, now, user_id)
    await identity.endChangesSince(tx, now, change)
    await identity.dropFactors(tx, user_id, change.created_at)
    await identity.setPassword(tx, user_id, null)
    // What was sent to the other mailbox opens nothing any more.
    await identity.spendLinks(tx, now, user_id)
    const action = 'account.undo_email'
    await audit(tx, now, { actor: accountActor(user_id, origin), action, subject: user_id })
    return { outcome: 'undone', user_id }
  })
}
