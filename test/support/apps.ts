import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import type { Frequency } from '#platform/calendar'
import { type AppId, mintId, type PriceId, type ProductId, type SellerId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { mintSecret } from '#platform/secrets'
import { sql } from '#platform/sql'
import type { TestService } from './service.ts'

/** Another app of the cast's seller, with one plan and one price. */
export interface OtherApp {
  client_id: AppId
  client_secret: string
  product_id: ProductId
  price_id: PriceId
}

export interface OtherAppFacts {
  slug: string
  /** Another seller than the cast's. */
  seller_id?: SellerId
  is_published?: boolean
  external_sales_enabled?: boolean
  listing_mode?: apps.ListingMode
  url?: string
  name?: string
  frequency?: Frequency | null
  amount?: Cents
  trial_days?: number
}

/** Registers another app. */
export async function addApp(
  { world, demo }: Pick<TestService, 'world' | 'demo'>,
  facts: OtherAppFacts,
): Promise<OtherApp> {
  const { db, clock, random } = world
  const now = clock.now()
  const { seller_id: casts } = await apps.get(db, demo.sign_in_app.client_id)
  const seller_id = facts.seller_id ?? casts
  const client_id = mintId(random, 'app')
  const client_secret = mintSecret(random)
  const product_id = mintId(random, 'prod')
  const price_id = mintId(random, 'prc')
  const url = facts.url ?? `https://${facts.slug}.example`
  await db.tx(async (tx) => {
    await apps.add(tx, now, {
      id: client_id,
      slug: facts.slug,
      seller_id,
      name: facts.name ?? 'Harbor',
      tagline: 'Berths and tides',
      description: '',
      url,
      oauth_login_url: `${url}/login`,
      listing_mode: facts.listing_mode ?? 'external',
      is_published: facts.is_published ?? true,
      external_sales_enabled: facts.external_sales_enabled ?? true,
    })
    await apps.addClient(tx, now, { client_id, app_id: client_id, client_secret })
    const plan = { name: 'Harbor Pro', description: '', is_free: false, position: 0 }
    const trial_days = facts.trial_days ?? 0
    await catalog.addProduct(tx, now, { ...plan, id: product_id, app_id: client_id, trial_days })
    const frequency = facts.frequency === undefined ? 'month' : facts.frequency
    const amount = facts.amount ?? cents(500)
    await catalog.addPrice(tx, now, { id: price_id, product_id, amount, frequency })
  })
  return { client_id, client_secret, product_id, price_id }
}

/** Changes the amount of an app's price. */
export async function changePrice(
  { world }: TestService,
  price: { id: PriceId; amount: Cents },
): Promise<void> {
  await world.db.run(sql`update prices set amount = ${price.amount} where id = ${price.id}`)
}

/** Puts an app on sale, or takes it off. */
export async function setOnSale(
  { world }: TestService,
  app_id: AppId,
  state: { is_published: boolean; external_sales_enabled: boolean },
): Promise<void> {
  await world.db.tx(async (tx) => {
    await apps.setOnSale(tx, app_id, state)
  })
}
