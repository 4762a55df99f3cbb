import * as identity from '#domain/identity'
import * as payments from '#domain/payments'
import type { World } from '#flows/world'
import { accountActor, audit, type Origin } from '#platform/audit'
import { queueFreshEmail } from '#platform/email-queue'
import { mintId } from '#platform/ids'
import type { Limit } from '#platform/limits'
import { auditChange, type Owner } from './audit.ts'
import { inOwnSession } from './sessions.ts'

const CHANGES_OF_ACCOUNT: Limit = { name: 'email-change', points: 4, seconds: 3600 }
const EMAILS_TO_ADDRESS: Limit = { name: 'email-change-address', points: 4, seconds: 3600 }

/**
 * Sends a confirmation to the new address and a notice with an undo link to the old one. Nothing
 * changes before the new address confirms. Whether the new address has an account is looked up when
 * the email is written, so that the response does not reveal it.
 */
export async function changeEmail(
  world: World,
  owner: Owner,
  wanted: { email: string; email_normalized: string },
): Promise<{ outcome: 'sent' } | { outcome: 'too_often'; retry_after: number }> {
  const { clock, random, limits } = world
  const { user_id, session_id, email: old_email } = owner
  for (const [limit, key] of [
    [CHANGES_OF_ACCOUNT, user_id],
    [EMAILS_TO_ADDRESS, wanted.email_normalized],
  ] as const) {
    const { allowed, reset_seconds } = await limits.consume(limit, key)
    if (!allowed) return { outcome: 'too_often', retry_after: reset_seconds }
  }
  const now = clock.now()
  await inOwnSession(world, owner, async (tx) => {
    const id = mintId(random, 'ech')
    const { email: new_email, email_normalized: new_email_normalized } = wanted
    const change = { id, user_id, session_id, old_email, new_email, new_email_normalized }
    await identity.requestEmailChange(tx, now, change)
    await auditChange(tx, now, owner, 'email_change_requested', { change_id: id })
    await queueFreshEmail(tx, now, world, { kind: 'change_email', subject_id: id })
    await queueFreshEmail(tx, now, world, { kind: 'email_change_requested', subject_id: id })
  })
  return { outcome: 'sent' }
}

export type ChangedEmail =
  | { outcome: 'changed'; email: string }
  /** A payment with the old or the new address is pending: the link can be used again later. */
  | { outcome: 'used' | 'taken' | 'paying' }

/** Thrown to roll back a change that must wait for a payment, so that its link stays valid. */
class PaymentPending extends Error {}

/**
 * Confirms a change of email: the account gets the new address, and the old one may undo it. It
 * waits for pending payments: a purchase becomes a license of the account that has its address.
 */
export async function confirmEmailChange(
  world: World,
  token: string,
  origin: Origin,
): Promise<ChangedEmail> {
  const { db, clock } = world
  const now = clock.now()
  try {
    return await db.tx<ChangedEmail>(async (tx) => {
      const link = await identity.useLink(tx, now, { token, purpose: 'change_email' })
      const change = link?.about ? await identity.findEmailChange(tx, link.about) : undefined
      if (!change || change.done_at || change.ended_at) return { outcome: 'used' }
      const { id, user_id, old_email, new_email } = change
      const wanted = identity.readEmail(new_email)!
      const addresses = [identity.readEmail(old_email)!, wanted]
      const emails = addresses.map(({ email_normalized }) => email_normalized)
      await payments.lockEmails(tx, emails)
      if (await payments.isPaymentPendingForEmail(tx, emails)) throw new PaymentPending()
      if (!(await identity.setEmail(tx, { user_id, ...wanted }))) {
        await identity.endPendingChange(tx, now, user_id)
        return { outcome: 'taken' }
      }
      await identity.completeEmailChange(tx, now, id)
      // Links that were sent to the old mailbox no longer work, except the one that undoes this.
      await identity.expireLinks(tx, now, user_id)
      const action = 'account.email_changed'
      const detail = { change_id: id }
      await audit(tx, now, {
        actor: accountActor(user_id, origin),
        action,
        subject: user_id,
        detail,
      })
      await queueFreshEmail(tx, now, world, { kind: 'email_changed', subject_id: id })
      return { outcome: 'changed', email: new_email }
    })
  } catch (error) {
    if (error instanceof PaymentPending) return { outcome: 'paying' }
    if (identity.isEmailTaken(error)) return { outcome: 'taken' }
    throw error
  }
}
