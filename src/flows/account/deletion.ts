import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as ledger from '#domain/ledger'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { endLicense, lockLicense } from '#flows/locked-license'
import type { World } from '#flows/world'
import type { ActorOf } from '#platform/audit'
import type { Db } from '#platform/db'
import { anonymizeEmails, queueFreshEmail } from '#platform/email-queue'
import type { AppId, PayeeId, UserId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { forgetTasks } from '#platform/tasks'
import { note, type Owner } from './note.ts'
import { requireOwnSession } from './sessions.ts'

/** What the seller that an account owns still has. */
export type SellerObstacle = 'apps' | 'subscriptions' | 'balance' | 'members'

/** Why an account cannot be deleted yet. */
export type DeletionBlock =
  | { kind: 'subscription'; app_id: AppId; app_name: string }
  | { kind: 'seller'; seller_name: string; has: SellerObstacle }
  | { kind: 'refund'; owed: Cents }
  | { kind: 'affiliate' | 'dispute' | 'payment' | 'staff' }

/** Everything that must be settled before an account can be deleted. */
export async function deletionBlocks(
  world: World,
  user_id: UserId,
  db: Db = world.db,
): Promise<DeletionBlock[]> {
  const user = (await identity.findUser(db, user_id))!
  const blocks: DeletionBlock[] = []
  if (user.staff_role !== null) blocks.push({ kind: 'staff' })
  for (const { app_id, name } of await billing.chargingApps(db, user_id)) {
    blocks.push({ kind: 'subscription', app_id, app_name: name })
  }
  if (await payments.isPaymentPending(db, user.email_normalized)) blocks.push({ kind: 'payment' })
  if (await payments.isDisputing(db, user_id)) blocks.push({ kind: 'dispute' })
  const owed = cents(0 - (await ledger.balanceOf(db, 'buyer_payable', user_id)))
  if (owed > 0) blocks.push({ kind: 'refund', owed })
  const affiliate = await affiliates.affiliateOf(db, user_id)
  if (affiliate && (await hasBalance(world, db, affiliate.id))) blocks.push({ kind: 'affiliate' })
  for (const { seller_id, legal_name: seller_name, role } of await sellers.membershipsOf(
    db,
    user_id,
  )) {
    if (role !== 'owner') continue
    const block = (has: SellerObstacle) => blocks.push({ kind: 'seller', seller_name, has })
    if (await apps.hasPublished(db, seller_id)) block('apps')
    if (await billing.isAnyCharging(db, seller_id)) block('subscriptions')
    if (await hasBalance(world, db, seller_id)) block('balance')
    if ((await sellers.membersOf(db, seller_id)).length > 1) block('members')
  }
  return blocks
}

async function hasBalance({ clock }: World, db: Db, owner: PayeeId): Promise<boolean> {
  const payee = { owner, account: payouts.accountOf(owner) }
  const { total, pending_total } = await payouts.payeeBalance(db, clock.now(), payee)
  if (total !== 0 || pending_total !== 0) return true
  const unsettled = (await payouts.payoutsOf(db, payee)).some(
    ({ status }) => status === 'open' || status === 'pending',
  )
  return unsettled
}

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
    // Until this ends, no one can make the account the owner of a seller.
    await sellers.lockMemberships(tx, user_id)
    const user = await identity.lockForDeletion(tx, user_id)
    await affiliates.lockOf(tx, user_id)
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
    const user = await identity.lockForDeletion(tx, user_id)
    if (await payments.isPaymentPending(tx, user.email_normalized)) return false
    await endAccount(world, tx, { kind: 'account', user_id, request_id: 'live_mode' }, user)
    return true
  })
}

async function endAccount(
  world: World,
  tx: Db,
  owner: ActorOf<'account'>,
  user: identity.User,
): Promise<void> {
  const ended = await licensing.liveLicensesOf(tx, user.id)
  for (const { license_id, status } of ended) {
    const locked = await lockLicense(world, tx, license_id)
    if (status !== 'preview') await endLicense(tx, locked, 'account_deleted')
    else {
      const end = { trigger: 'preview_ended', to: 'canceled' } as const
      await licensing.transition(tx, locked.now, { license_id, ...end })
    }
  }
  await anonymize(world, tx, user)
  const licenses = ended.map(({ license_id }) => license_id)
  await note(tx, world.clock.now(), owner, 'deleted', { licenses })
}

async function anonymize(world: World, tx: Db, user: identity.User): Promise<void> {
  const { clock, random } = world
  const { id: user_id } = user
  const address = identity.addressOfDeleted(user_id)
  const addresses = await identity.addressesOf(tx, user)
  for (const email_normalized of addresses) {
    const account = { user_id, email_normalized, address }
    await billing.anonymizeCarts(tx, clock.now(), account)
    await payments.anonymizePayments(tx, account)
    await anonymizeEmails(tx, account)
  }
  await licensing.dropAliasesOf(tx, user_id)
  await imports.forgetRows(tx, addresses)
  await forgetTasks(tx, user_id)
  await grants.forgetPerson(tx, user_id)
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
