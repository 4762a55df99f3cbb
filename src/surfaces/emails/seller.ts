import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import type { World } from '#flows/world'
import { pageOfSeller } from '#http/guards/named-seller'
import type { EmailTemplate, StoredEmail } from '#platform/email-queue'
import { type Id, type IdPrefix, type LicenseId, type OrderId, parseId } from '#platform/ids'
import { newSale, renewalFailed, type SellerFacts, saleCanceled } from './seller-templates.ts'
import type { EmailContent, EmailWriters, WrittenEmail } from './template.ts'

/** The sale that an email is about, and the email's content. */
interface SellerEmailParts {
  app: Pick<apps.App, 'seller_id' | 'name' | 'slug'>
  product_name: string
  buyer_email: string
  content(facts: SellerFacts): EmailContent
}

/** The emails to a seller's members about a buyer. Each member can turn each off. */
export const SELLER_EMAILS = {
  seller_sale: unlessMuted('sale', 'ord', aboutSale),
  seller_cancellation: unlessMuted('cancellation', 'lic', aboutCancellation),
  seller_failed_renewal: unlessMuted('failed_renewal', 'lic', aboutFailedRenewal),
} satisfies Partial<EmailWriters<EmailTemplate>>

/** Writes an email to the members who did not turn it off; undefined if it is out of date. */
function unlessMuted<Prefix extends IdPrefix>(
  email: sellers.SellerEmail,
  prefix: Prefix,
  find: (world: World, id: Id<Prefix>) => Promise<SellerEmailParts | undefined>,
) {
  return async (world: World, { subject_id }: StoredEmail) => {
    const about = await find(world, parseId(prefix, subject_id))
    if (!about) return undefined
    const facts = { permission: 'view', email } as const
    const to = await sellers.recipientsOf(world.db, about.app.seller_id, facts)
    return writeToSeller(world, about, to)
  }
}

function writeToSeller({ config }: World, about: SellerEmailParts, to: string[]): WrittenEmail {
  const { app, content, ...sale } = about
  const facts = {
    ...sale,
    app_name: app.name,
    sales_url: `${config.base_url}/dashboard/apps/${app.slug}/sales/`,
    settings_url: `${config.base_url}${pageOfSeller('/dashboard/emails/', app.seller_id)}`,
  }
  return { to, content: content(facts) }
}

async function aboutSale({ db }: World, order_id: OrderId): Promise<SellerEmailParts> {
  const order = (await billing.orderDetails(db, order_id))!
  const { amount, fee, state, product_name, email: buyer_email, seller_id } = order
  const is_continued = order.prepaid_until !== null
  const is_trial = order.trial_days > 0
  const sale = { amount, fee, state, is_trial, is_continued }
  const app = { seller_id, name: order.app_name, slug: order.app_slug }
  return { app, product_name, buyer_email, content: (facts) => newSale(facts, sale) }
}

async function aboutCancellation(
  world: World,
  license_id: LicenseId,
): Promise<SellerEmailParts | undefined> {
  const license = await licensing.getLicense(world.db, license_id)
  if (license.canceled_at === null) return undefined
  const ends_at = license.status === 'canceled' ? null : license.canceled_at
  const end = { ends_at, is_trial: license.status === 'trialing' }
  return await aboutLicense(world, license, (facts) => saleCanceled(facts, end))
}

async function aboutFailedRenewal(
  world: World,
  license_id: LicenseId,
): Promise<SellerEmailParts | undefined> {
  const license = await licensing.getLicense(world.db, license_id)
  if (license.status !== 'past_due') return undefined
  const subscription = await billing.subscriptionOf(world.db, license.license_id)
  const retry_at = subscription ? billing.retryAt(subscription) : null
  return await aboutLicense(world, license, (facts) => renewalFailed(facts, retry_at))
}

async function aboutLicense(
  { db }: World,
  { app_id, user_id, product_id }: licensing.License,
  content: SellerEmailParts['content'],
): Promise<SellerEmailParts> {
  const app = await apps.get(db, app_id)
  const { email: buyer_email } = await identity.getUser(db, user_id)
  return { app, product_name: await catalog.productName(db, product_id), buyer_email, content }
}
