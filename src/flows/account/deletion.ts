import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import { endLicense, lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { Db } from '#platform/db'
import { anonymizeEmails, queueFreshEmail } from '#platform/email-queue'
import type { LicenseId, UserId } from '#platform/ids'
import { deleteTasks } from '#platform/tasks'
import { auditChange, type Owner } from './audit.ts'
import { type DeletionBlock, deletionBlocks } from './deletion-blocks.ts'
import { requireOwnSession } from './sessions.ts'

const SEAL = 'deleted-account'

/**
 * Deletes an account at once: its licenses end, everything for signing in is deleted, and its email
 * is replaced wherever it is stored (decision 88). Invoices, payments and the audit log remain
 * under the account's id. The address gets one last email. Nothing happens while something blocks
 * it.
 */
export async function deleteAccount(
  world: World,
  owner: Owner,
): Promise<{ outcome: 'deleted' } | { outcome: 'blocked'; blocks: DeletionBlock[] }> {
  const { db, clock, keys, random } = world
  const { user_id } = owner
  return await db.tx(async (tx) => {
    const user = await lockAccount(world, tx, user_id)
    await affiliates.lockAffiliateOf(tx, user_id)
    await requireOwnSession(tx, owner)
    const blocks = await deletionBlocks(world, user_id, tx)
    if (blocks.length > 0) return { outcome: 'blocked', blocks }
    const now = clock.now()
    await endAccount(world, tx, owner, user)
    const sealed_to = keys.seal(random, SEAL, user_id, user.email).toString('base64url')
    const about = { subject_id: user_id, facts: { sealed_to } }
    await queueFreshEmail(tx, now, world, { kind: 'account_deleted', ...about })
    return { outcome: 'deleted' }
  })
}

/**
 * Deletes the copy of an account in test mode, as the account was deleted in live mode. What is
 * unsettled there is not money, so only a payment that is being made delays it: false then. The
 * person got an email from live mode.
 */
export async function deleteCopy(world: World, user_id: UserId): Promise<boolean> {
  return await world.db.tx(async (tx) => {
    const user = await lockAccount(world, tx, user_id)
    if (await payments.isPaymentPendingForEmail(tx, [user.email_normalized])) return false
    await endAccount(world, tx, { kind: 'account', user_id, request_id: 'live_mode' }, user)
    return true
  })
}

/**
 * Locks an account, its purchases and the offers to it, in the order in which other flows lock
 * them: a link its account before the carts; a purchase its cart, and the answer to an offer the
 * offer, before memberships, emails, and the rows that refer to the account; a token its grant, and
 * a renewal its license, before the account. A purchase that is being recorded blocks the deletion.
 */
async function lockAccount(world: World, tx: Db, user_id: UserId): Promise<identity.User> {
  const user = await identity.lockForChange(tx, user_id)
  const emails = await identity.addressesOf(tx, user)
  await billing.lockCartsOf(tx, { user_id, emails })
  await apps.lockTransfersTo(tx, emails)
  // Until this ends, no one can make the account the owner of a seller.
  await sellers.lockMemberships(tx, user_id)
  await sellers.lockInvitationsBy(tx, user_id)
  await grants.lockGrantsOf(tx, user_id)
  for (const { license_id } of await licensing.liveLicensesOf(tx, user_id)) {
    await lockLicense(world, tx, license_id)
  }
  await identity.lockForDeletion(tx, user_id)
  await payments.lockEmails(tx, [user.email_normalized])
  return user
}

async function endAccount(
  world: World,
  tx: Db,
  owner: ActorOf<'account'>,
  user: identity.User,
): Promise<void> {
  const licenses: LicenseId[] = []
  for (const { license_id } of await licensing.liveLicensesOf(tx, user.id)) {
    const locked = await lockLicense(world, tx, license_id)
    const { status } = locked.license
    // It may have ended while this waited for it.
    if (status === 'canceled') continue
    if (status !== 'preview') await endLicense(tx, locked, 'account_deleted')
    else {
      const end = { trigger: 'preview_ended', to: 'canceled' } as const
      await licensing.transition(tx, locked.now, { license_id, ...end })
    }
    licenses.push(license_id)
  }
  await anonymize(world, tx, user)
  await auditChange(tx, world.clock.now(), owner, 'deleted', { licenses })
}

async function anonymize(world: World, tx: Db, user: identity.User): Promise<void> {
  const { clock, random } = world
  const { id: user_id } = user
  const address = identity.addressOfDeleted(user_id)
  const addresses = await identity.addressesOf(tx, user)
  for (const email_normalized of addresses) {
    const account = { user_id, email_normalized, address }
    await billing.anonymizeCarts(tx, clock.now(), account)
    await anonymizeEmails(tx, account)
  }
  await payments.anonymizePayments(tx, { user_id, emails: addresses, address })
  await billing.anonymizeInvoices(tx, { user_id, address })
  await licensing.deleteAliasesOf(tx, user_id)
  await imports.deleteRowsAbout(tx, addresses)
  await deleteTasks(tx, user_id)
  await grants.deleteConsentsOf(tx, user_id)
  await sellers.endMemberships(tx, user_id, addresses)
  await apps.dropTransfersTo(tx, addresses)
  const affiliate = await affiliates.affiliateOf(tx, user_id)
  if (affiliate) {
    const code = `deleted-${random.bytes(10).toString('hex')}`
    await affiliates.retire(tx, clock.now(), { id: affiliate.id, code })
  }
  await identity.anonymize(tx, user, addresses)
}

/** The address of the last email to a deleted account. */
export function recipientOfDeletion({ keys }: World, user_id: string, sealed_to: string): string {
  return keys.open(SEAL, user_id, Buffer.from(sealed_to, 'base64url'))
}
