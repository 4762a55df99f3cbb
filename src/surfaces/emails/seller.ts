import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import type * as payments from '#domain/payments'
import type { World } from '#flows/world'
import type { QueuedEmail } from '#platform/email-queue'
import { canceledByBuyer, renewalFailed, type SellerFacts, sold } from './seller-templates.ts'
import type { EmailContent, WrittenEmail } from './template.ts'

type WriteSellerEmail = (world: World, email: Required<QueuedEmail>) => Promise<About | undefined>

/** Which sale of which app an email is about, and what it says. */
interface About {
  app: apps.App
  product_name: string
  buyer_email: string
  words(facts: SellerFacts): EmailContent
}

/** How each email to a seller about a buyer is written; a seller may switch each off. */
const TEMPLATES: Record<string, { switch: apps.SellerEmail; write: WriteSellerEmail }> = {
  seller_sale: { switch: 'sale', write: writeSale },
  seller_cancellation: { switch: 'cancellation', write: writeCancellation },
  seller_failed_renewal: { switch: 'failed_renewal', write: writeFailedRenewal },
}

/** Tells whether an email is to a seller about a buyer. */
export function isSellerEmail(kind: string): boolean {
  return Object.hasOwn(TEMPLATES, kind)
}

/** Writes an email to a seller; undefined where it is switched off or out of date. */
export async function writeSellerEmail(
  world: World,
  email: Required<QueuedEmail>,
): Promise<WrittenEmail | undefined> {
  const { db, config } = world
  const template = TEMPLATES[email.kind]!
  const about = await template.write(world, email)
  if (!about) return undefined
  const { app, words, ...sale } = about
  if ((await apps.mutedEmails(db, app.seller_id)).includes(template.switch)) return undefined
  const seller = (await identity.findUser(db, app.developer_id))!
  const base = `${config.base_url}/dashboard/`
  const facts = {
    ...sale,
    app_name: app.name,
    sales_url: `${base}apps/${app.slug}/sales/`,
    settings_url: `${base}emails/`,
  }
  return { to: seller.email, words: words(facts) }
}

async function writeSale({ db }: World, { subject_id }: Required<QueuedEmail>): Promise<About> {
  const order = (await billing.orderDetails(db, subject_id))!
  const { amount, fee, state, product_name, email: buyer_email } = order
  const sale = { amount, fee, state, is_trial: order.charged === 0 }
  const app = (await apps.find(db, order.app_id))!
  return { app, product_name, buyer_email, words: (facts) => sold(facts, sale) }
}

async function writeCancellation(world: World, { subject_id }: Required<QueuedEmail>) {
  const license = await licensing.findLicense(world.db, subject_id)
  if (license.canceled_at === null) return undefined
  const ends_at = license.status === 'canceled' ? null : license.canceled_at
  return await aboutLicense(world, license, (facts) => canceledByBuyer(facts, ends_at))
}

async function writeFailedRenewal(world: World, { subject_id }: Required<QueuedEmail>) {
  const license = await licensing.findLicense(world.db, subject_id)
  if (license.status !== 'past_due') return undefined
  const subscription = await billing.subscriptionOf(world.db, subject_id)
  const code = (subscription?.last_decline ?? null) as payments.DeclineCode | null
  const retry_at = billing.isHardDecline(code) ? null : (subscription?.next_at ?? null)
  return await aboutLicense(world, license, (facts) => renewalFailed(facts, retry_at))
}

async function aboutLicense(
  { db }: World,
  { app_id, user_id, product_id }: licensing.License,
  words: About['words'],
): Promise<About> {
  const app = (await apps.find(db, app_id))!
  const { email: buyer_email } = (await identity.findUser(db, user_id))!
  return { app, product_name: await catalog.productName(db, product_id), buyer_email, words }
}
