import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { mintId } from '#platform/ids'
import { formatAmount } from '#platform/money'
import { mintSecret } from '#platform/secrets'
import { APP, CAST, PLANS } from './cast.ts'

/** A person of the cast, with the password to sign in with. */
export interface Login {
  email: string
  password: string
}

/** What `demo.json` holds: all that a program needs to try the service out. */
export interface DemoFacts {
  base_url: string
  sample_site_url: string
  seller: Login
  buyer: Login
  affiliate: Login & { code: string }
  operator: Login
  app: {
    slug: string
    client_id: string
    client_secret: string
    url: string
    prices: { public_id: string; frequency: string | null; amount: string; buy_url: string }[]
  }
}

/**
 * Puts the cast on stage, or back on it: what is there already stays, with its purchases. Secrets
 * that `kept` still knows stay as well; others are made anew, as only their digests are stored.
 */
export async function seedCast(
  world: World,
  facts: { sample_site_url: string; kept: DemoFacts | undefined },
): Promise<DemoFacts> {
  const { db, config } = world
  const { kept, sample_site_url } = facts
  const login = async (role: 'seller' | 'buyer' | 'affiliate' | 'operator') =>
    await seedPerson(world, CAST[role].email, kept?.[role])
  const seller = await login('seller')
  const buyer = await login('buyer')
  const affiliate = await login('affiliate')
  const operator = await login('operator')
  await identity.makeOperator(db, operator.user_id)

  const existing = await apps.findPublishedBySlug(db, APP.slug)
  const oauth_login_url = `${sample_site_url}/login`
  const known = kept?.app.client_id === existing?.id ? kept?.app.client_secret : undefined
  const client_secret = known ?? mintSecret(world.random)
  const client_id = existing?.id ?? (await seedApp(world, seller.user_id, oauth_login_url))
  if (existing) {
    await apps.setLoginUrl(db, client_id, oauth_login_url)
    await apps.replaceSecret(db, client_id, client_secret)
  } else {
    const client = { client_id, app_id: client_id, client_secret }
    await apps.addClient(db, world.clock.now(), client)
    const { code } = CAST.affiliate
    const referrer = { id: mintId(world.random, 'aff'), user_id: affiliate.user_id, code }
    await affiliates.add(db, world.clock.now(), referrer)
  }
  await apps.setRedirectLists(db, client_id, {
    redirect_uris: [`${sample_site_url}/auth/callback`],
    post_logout_redirect_uris: [`${sample_site_url}/`],
  })
  await apps.enableAddOn(db, world.clock.now(), client_id)
  const offers = await catalog.offers(db, client_id)
  return {
    base_url: config.base_url,
    sample_site_url,
    seller: seller.login,
    buyer: buyer.login,
    affiliate: { ...affiliate.login, code: CAST.affiliate.code },
    operator: operator.login,
    app: {
      slug: APP.slug,
      client_id,
      client_secret,
      url: APP.url,
      prices: offers.map(({ id, frequency, amount }) => ({
        public_id: id,
        frequency,
        amount: formatAmount(amount),
        buy_url: `${config.base_url}/buy/${id}/`,
      })),
    },
  }
}

async function seedPerson(
  { db, clock, random }: World,
  address: string,
  kept: Login | undefined,
): Promise<{ user_id: string; login: Login }> {
  const now = clock.now()
  const { email, email_normalised } = identity.readEmail(address)!
  const { user_id } = await identity.findOrAddUser(db, now, {
    id: mintId(random, 'usr'),
    email,
    email_normalised,
    created_via: 'demo',
  })
  const password = kept?.password ?? mintSecret(random, 96)
  const user = (await identity.findUser(db, user_id))!
  if (!(await identity.hasPassword(user.password_hash, password))) {
    await identity.setPassword(db, user_id, await identity.hashPassword(password))
  }
  await identity.proveMailbox(db, now, user_id)
  return { user_id, login: { email, password } }
}

async function seedApp(world: World, user_id: string, oauth_login_url: string): Promise<string> {
  const { db, clock, random } = world
  const now = clock.now()
  const { legal_name, zip } = CAST.seller
  return await db.tx(async (tx) => {
    const seller_id = mintId(random, 'sel')
    const state = tax.stateOfZip(zip)!
    await apps.addSeller(tx, now, { id: seller_id, user_id, legal_name, state, zip })
    const id = mintId(random, 'app')
    await apps.add(tx, now, {
      ...APP,
      id,
      seller_id,
      oauth_login_url,
      listing_mode: 'marketplace',
      is_published: true,
      external_sales_enabled: true,
    })
    await seedPlans(world, tx, id)
    return id
  })
}

async function seedPlans({ clock, random }: World, tx: Db, app_id: string): Promise<void> {
  const now = clock.now()
  for (const [position, { prices, ...plan }] of PLANS.entries()) {
    const product_id = mintId(random, 'prod')
    await catalog.addProduct(tx, now, { ...plan, id: product_id, app_id, position, trial_days: 0 })
    for (const price of prices) {
      await catalog.addPrice(tx, now, { ...price, id: mintId(random, 'prc'), product_id })
    }
  }
}
