import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as listing from '#domain/listing'
import * as sellers from '#domain/sellers'
import { resetUnverifiedAccount } from '#flows/account-access'
import { endSellerAccess } from '#flows/app-access'
import type { LiveContent, LiveMode, LiveSeller, LiveUser, World } from '#flows/world'
import type { Db } from '#platform/db'
import type { AppId, SellerId, UserId } from '#platform/ids'
import { mirrorImages } from './mirror-images.ts'

/**
 * Copies a seller of live mode to test mode: its details, terms, members with their roles, and
 * apps with their images. An app that is new here starts with the plans and the listing that it has
 * in live mode. A seller that live mode no longer has keeps no members. An app that it transferred
 * goes to its new seller, who is copied with it. Returns the accounts here by their ids in live
 * mode.
 */
export async function mirror(
  tools: Pick<World, 'db' | 'clock' | 'storage' | 'log'>,
  live: LiveMode,
  seller_id: SellerId,
): Promise<Map<UserId, UserId>> {
  const { db, clock } = tools
  const now = clock.now()
  const seller = await live.seller(seller_id)
  const known = await apps.idsOf(db, seller_id)
  const contents = new Map<AppId, LiveContent>()
  for (const { id, archived_at } of seller?.apps ?? []) {
    if (!known.includes(id) && !archived_at) contents.set(id, await live.content(id))
  }
  const copy = () =>
    db.tx(async (tx) => {
      await sellers.lockMirror(tx, seller_id)
      if (seller) await sellers.mirrorSeller(tx, now, seller, seller.terms)
      const accounts = await mirrorMembers(tx, now, seller_id, seller?.members ?? [])
      for (const app of seller?.apps ?? []) {
        await mirrorApp(tx, now, app, contents.get(app.id))
      }
      return accounts
    })
  const accounts = await retryTakenEmails(copy)
  if (seller) await mirrorImages(tools, live, seller_id, seller.images)
  // After what it received, so that two sellers that exchanged apps do not wait for each other.
  const own = new Set(seller?.apps.map(({ id }) => id))
  for (const app_id of await apps.idsOf(db, seller_id)) {
    const owner = own.has(app_id) ? undefined : await live.sellerOf(app_id)
    if (owner && owner !== seller_id) await mirror(tools, live, owner)
  }
  return accounts
}

/**
 * Repeats a copy that changed a member's email while another account in test mode took it. The next
 * one sees that account, and leaves the email to it.
 */
async function retryTakenEmails<Result>(copy: () => Promise<Result>): Promise<Result> {
  for (;;) {
    try {
      return await copy()
    } catch (error) {
      if (!identity.isEmailTaken(error)) throw error
    }
  }
}

async function mirrorMembers(
  tx: Db,
  now: Date,
  seller_id: SellerId,
  members: LiveSeller['members'],
): Promise<Map<UserId, UserId>> {
  const accounts = new Map<UserId, UserId>()
  const roles = new Map<UserId, sellers.MemberRole>()
  for (const { role, ...user } of members) {
    const user_id = await mirrorAccount(tx, now, user)
    accounts.set(user.id, user_id)
    roles.set(user_id, role)
  }
  const here = [...roles].map(([user_id, role]) => ({ user_id, role }))
  for (const user_id of await sellers.setMembers(tx, now, seller_id, here)) {
    await identity.endAllSessions(tx, now, user_id)
    for (const app_id of await apps.idsOf(tx, seller_id)) {
      await licensing.endPreview(tx, now, { app_id, user_id })
    }
  }
  return accounts
}

async function mirrorAccount(tx: Db, now: Date, user: LiveUser): Promise<UserId> {
  const { user_id, is_new } = await identity.mirrorUser(tx, now, user)
  const here = await identity.getUser(tx, user_id)
  const isProven = user.email_verified_at && !here.email_verified_at
  if (is_new || isProven) {
    // Another person may have created it with this email, so everything they set up ends.
    await resetUnverifiedAccount(tx, now, user_id)
  }
  if (isProven) await identity.proveMailbox(tx, now, user_id)
  return user_id
}

async function mirrorApp(
  tx: Db,
  now: Date,
  app: apps.App,
  content: LiveContent | undefined,
): Promise<void> {
  // One that was archived before anyone entered has nothing to test.
  if (!content && !(await apps.find(tx, app.id))) return
  const before = await apps.mirrorApp(tx, now, app)
  if (before) {
    const { seller_id: from_seller } = before
    if (from_seller !== app.seller_id) {
      await endSellerAccess(tx, now, { app_id: app.id, from_seller })
    }
    if (before.url !== app.url) await apps.removeForeignUrls(tx, before, app.url)
    return
  }
  await apps.addClient(tx, now, { client_id: app.id, app_id: app.id, client_secret: null })
  if (content) await copyContent(tx, now, app.id, content)
}

/** Plans and prices keep their ids, so the address of a buy link differs by its host alone. */
async function copyContent(tx: Db, now: Date, app_id: AppId, content: LiveContent): Promise<void> {
  for (const product of content.products) await catalog.addProduct(tx, now, product)
  for (const price of content.prices) await catalog.addPrice(tx, now, price)
  if (content.highlighted) await catalog.highlight(tx, app_id, content.highlighted)
  await listing.setSections(tx, app_id, content.sections)
  await listing.setFeatures(tx, app_id, content.features)
  for (const kind of listing.NAME_KINDS) {
    await listing.setNames(tx, now, { app_id, kind, names: content.names[kind] })
  }
}
