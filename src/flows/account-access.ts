import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { Db } from '#platform/db'
import type { UserId } from '#platform/ids'

/** Ends all access to an account: its sessions here, and what apps and agents were granted. */
export async function endAllAccess(tx: Db, now: Date, user_id: UserId): Promise<void> {
  await identity.endAllSessions(tx, now, user_id)
  await grants.revokeAllOf(tx, user_id)
}

/**
 * Removes everything that was set up in an account before its mailbox was verified: its sessions,
 * its password, its second factors, and a pending change of email.
 */
export async function resetUnverifiedAccount(tx: Db, now: Date, user_id: UserId): Promise<void> {
  await endAllAccess(tx, now, user_id)
  await identity.deleteFactors(tx, user_id)
  await identity.removePassword(tx, user_id)
}
