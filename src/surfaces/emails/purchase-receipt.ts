import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { findContinuable } from '#flows/checkout'
import { nextCharge } from '#flows/subscription'
import type { World } from '#flows/world'
import type { AppId, LicenseId, OrderId } from '#platform/ids'
import { invoiceAttachment } from './invoice-pdf.ts'
import { links } from './link.ts'
import { planGiven, receipt } from './receipt-template.ts'
import { soldBy, type WrittenEmail } from './template.ts'

/** Writes the receipt of a purchase with its key; a trial has no invoice to attach yet. */
export async function writePurchaseReceipt(world: World, order_id: OrderId): Promise<WrittenEmail> {
  const { db, keys, config, languages } = world
  const order = (await billing.orderDetails(db, order_id))!
  const user = (await identity.findUser(db, order.user_id))!
  const locale = languages.named(user.language)
  const license = await licensing.findLicense(db, order.license_id)
  const isNew = order.made_account && user.email_verified_at === null
  const own_links = await linksFor(world, user, { app_id: order.app_id, isNew })
  const sold_by = soldBy(config.operator, order.app_name, locale)
  const license_key = licensing.showKey(keys, license)
  const { license_id, app_id } = order
  const next = order.discount
    ? await nextCharge(world, { license_id, app: (await apps.find(db, app_id))! })
    : undefined
  const facts = { license_key, links: own_links, sold_by, next: next?.total, locale }
  const content = receipt(order, facts)
  const paid = await billing.findReceipt(db, order.invoice_id)
  const attachments = paid ? [await invoiceAttachment(world, paid)] : []
  return { to: user.email, locale, content, attachments }
}

/** Writes the email about a plan that a seller gave, with its key; undefined once it has ended. */
export async function writePlanGiven(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  return await writeUncharged(world, license_id, 'given')
}

/** The email with the key of a license that the seller imported; none once it ended. */
export async function writeLicenseImported(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  return await writeUncharged(world, license_id, 'imported')
}

async function writeUncharged(
  world: World,
  license_id: LicenseId,
  how: 'given' | 'imported',
): Promise<WrittenEmail | undefined> {
  const { db, keys, languages } = world
  const license = await licensing.findLicense(db, license_id)
  if (license.status === 'canceled') return undefined
  const user = (await identity.findUser(db, license.user_id))!
  const locale = languages.named(user.language)
  const app = (await apps.find(db, license.app_id))!
  const holder = { license, user_id: user.id }
  const content = planGiven({
    locale,
    how,
    may_continue: (await findContinuable(world, app, holder)) !== undefined,
    app_name: app.name,
    product_name: await catalog.productName(db, license.product_id),
    ends_at: license.canceled_at,
    license_key: licensing.showKey(keys, license),
    links: await linksFor(world, user, { app_id: license.app_id, isNew: false }),
  })
  return { to: user.email, locale, content }
}

/** The links with which an account is set up, and the one to the license. */
async function linksFor(
  world: World,
  user: identity.User,
  { app_id, isNew }: { app_id: AppId; isNew: boolean },
) {
  const purposes = [
    ...(user.email_verified_at === null ? (['verify_email'] as const) : []),
    ...(user.password_hash === null ? (['set_password'] as const) : []),
    ...(isNew ? (['not_me'] as const) : []),
  ]
  const { verify_email, set_password, not_me } = await links(world, purposes, user.id)
  const manage = `${world.config.base_url}/manage/${app_id}/`
  return { verify_email, set_password, not_me, manage }
}
