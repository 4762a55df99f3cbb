import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import type { AppId, SellerId } from '#platform/ids'
import { signUp } from './account.ts'
import type { Agent } from './agent.ts'
import { addApp, type OtherApp, setOnSale } from './apps.ts'
import { addSellerWithApp, signedIn } from './seller.ts'
import type { TestService } from './service.ts'

/** Another seller with an account of its own, whose owner is signed in. */
export interface OtherSeller {
  email: string
  agent: Agent
  seller_id: SellerId
}

/** An app of the cast's seller that can be offered. */
export type OfferedApp = OtherApp & { slug: string }

let slugs = 0

/** A seller who accepted the seller terms, and may be given an app. */
export async function otherSeller(service: TestService): Promise<OtherSeller> {
  const { world } = service
  const { email, agent } = await signUp(service)
  const { client_id } = await addSellerWithApp(service, { email, slug: `buyer-${slugs++}` })
  const { seller_id } = await apps.get(world.db, client_id)
  const version = world.seller_terms_version
  await sellers.acceptTerms(world.db, world.clock.now(), { seller_id, version })
  return { email, agent, seller_id }
}

/** Another app of the cast's seller. */
export async function newApp(service: TestService): Promise<OfferedApp> {
  const slug = `offered-${slugs++}`
  return { slug, ...(await addApp(service, { slug, name: `Offered ${slugs}` })) }
}

/**
 * Offers an app to an email address, as the cast's seller, who signs in again because tests advance
 * the clock. Returns the seller's agent on the page that follows.
 */
export async function offer(service: TestService, slug: string, email: string): Promise<Agent> {
  const owner = await signedIn(service, service.demo.seller)
  await owner.open(`/dashboard/apps/${slug}/transfer/`)
  await owner.submit('Offer app', { email, reason: 'We focus on another app.' })
  return owner
}

/** Accepts the offer that a seller received. */
export async function accept({ agent }: Pick<OtherSeller, 'agent'>) {
  await agent.open('/dashboard/transfers/')
  return await agent.submit(/^Accept for /)
}

/** The seller whose app it is. */
export async function sellerOf({ world }: TestService, app_id: AppId): Promise<SellerId> {
  return (await apps.get(world.db, app_id)).seller_id
}

/** Transfers an app to another seller, and puts it on sale again. */
export async function transferToOtherSeller(
  service: TestService,
  app: OfferedApp,
): Promise<OtherSeller> {
  const to = await otherSeller(service)
  await offer(service, app.slug, to.email)
  await accept(to)
  await setOnSale(service, app.client_id, { is_published: true, external_sales_enabled: true })
  return to
}
