import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import { findContinuable } from '#flows/checkout'
import type { World } from '#flows/world'
import { manageUrl } from '#http/guards/license'
import type { LicenseId } from '#platform/ids'
import { invoiceAttachment } from './invoice-pdf.ts'
import { links } from './link.ts'
import { keyReplaced, planGiven, receipt } from './receipt-template.ts'
import { soldBy, type WrittenEmail } from './template.ts'
import { upcomingCharge } from './upcoming-charge.ts'
import { usesCard } from './upcoming-text.ts'

/** Writes the receipt of a purchase with its key; a trial has no invoice to attach yet. */
export async function writePurchaseReceipt(
  world: World,
  order: billing.OrderDetails,
): Promise<WrittenEmail> {
  const { db, keys, config, languages } = world
  const locale = languages.named(order.language)
  const is_new = order.made_account && order.email_verified_at === null
  const own_links = await linksFor(world, order, { is_new })
  const license_key = licensing.showKey(keys, order)
  const upcoming = await upcomingCharge(world, order.license_id)
  const is_charged = usesCard(order.charged, upcoming)
  const sold_by = soldBy(config.operator, order.app_name, locale, { is_charged })
  const facts = { license_key, links: own_links, sold_by, upcoming, locale }
  const content = receipt(order, facts)
  const paid = await billing.findReceipt(db, order.invoice_id)
  const attachments = paid ? [await invoiceAttachment(world, paid)] : []
  return { to: [order.email], locale, content, attachments }
}

/**
 * Writes the email with the key of a license that the seller gave or imported; undefined once it
 * has ended.
 */
export async function writeUncharged(
  world: World,
  license_id: LicenseId,
  how: 'given' | 'imported',
): Promise<WrittenEmail | undefined> {
  const live = await liveLicense(world, license_id)
  if (!live) return undefined
  const { license, app, to, facts } = live
  const { user_id } = license
  const content = planGiven({
    ...facts,
    how,
    may_continue: (await findContinuable(world, app, { license, user_id })) !== undefined,
    ends_at: license.canceled_at,
  })
  return { to, locale: facts.locale, content }
}

/** Writes the email with a key that the seller replaced; undefined once the license has ended. */
export async function writeReplacedKey(
  world: World,
  license_id: LicenseId,
): Promise<WrittenEmail | undefined> {
  const live = await liveLicense(world, license_id)
  if (!live) return undefined
  const { to, facts } = live
  return { to, locale: facts.locale, content: keyReplaced(facts) }
}

/** A license that has not ended, with what an email about its key says to its holder. */
async function liveLicense(world: World, license_id: LicenseId) {
  const { db, keys, languages } = world
  const license = await licensing.getLicense(db, license_id)
  if (license.status === 'canceled') return undefined
  const { app_id, user_id, product_id } = license
  const user = await identity.getUser(db, user_id)
  const app = await apps.get(db, app_id)
  const { email, email_verified_at } = user
  const has_password = user.password_hash !== null
  const holder = { app_id, user_id, email, has_password, email_verified_at }
  const facts = {
    locale: languages.named(user.language),
    app_name: app.name,
    product_name: await catalog.productName(db, product_id),
    license_key: licensing.showKey(keys, license),
    links: await linksFor(world, holder, { is_new: false }),
  }
  return { license, app, to: [email], facts }
}

/** The links with which an account is set up, and the one to the license. */
async function linksFor(
  world: World,
  holder: Pick<
    billing.OrderDetails,
    'app_id' | 'user_id' | 'email' | 'email_verified_at' | 'has_password'
  >,
  { is_new }: { is_new: boolean },
) {
  const { app_id, user_id, email, email_verified_at, has_password } = holder
  const purposes = [
    ...(email_verified_at === null ? (['verify_email'] as const) : []),
    ...(has_password ? [] : (['set_password'] as const)),
    ...(is_new ? (['not_me'] as const) : []),
  ]
  const owner = { user_id, sent_to: email }
  const { verify_email, set_password, not_me } = await links(world, purposes, owner)
  const manage = `${world.config.base_url}${manageUrl(app_id)}`
  return { verify_email, set_password, not_me, manage }
}
