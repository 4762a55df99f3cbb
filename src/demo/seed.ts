import * as affiliates from '#domain/affiliates'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import type { Db } from '#platform/db'
import { type AppId, mintId, type PriceId, readId, type SellerId, type UserId } from '#platform/ids'
import { formatAmount } from '#platform/money'
import { mintSecret } from '#platform/secrets'
import {
  APP,
  CAST,
  type CastApp,
  type CastListing,
  type CastPlan,
  LISTING,
  PLANS,
  SIGN_IN_APP,
  SIGN_IN_LISTING,
  SIGN_IN_PLANS,
} from './cast.ts'
import { seedListing, seedPlans } from './plans-and-listing.ts'

/** A person of the cast, with the password to sign in with. */
export interface Login {
  email: string
  password: string
}

/** An app of the cast, with the credentials of its server. */
export interface DemoApp {
  slug: string
  client_id: AppId
  client_secret: string
  url: string
  prices: { public_id: PriceId; frequency: string | null; amount: string; buy_url: string }[]
}

/** The content of `demo.json`: everything that a program needs to try the service. */
export interface DemoFacts {
  base_url: string
  /** The site of `app`. */
  sample_site_url: string
  /** The site of `sign_in_app`. */
  sign_in_site_url: string
  seller: Login
  buyer: Login
  affiliate: Login & { code: string }
  /** Staff has a second factor: the secret of the authenticator app, in base32. */
  operator: Login & { totp_secret: string }
  /** Checks license keys. */
  app: DemoApp
  /** Lets its visitors sign in through the service. */
  sign_in_app: DemoApp
}

/**
 * Creates the cast, or completes it: what exists stays, with its purchases. Client secrets that
 * `kept` lacks are created again, as only their digests are stored.
 */
export async function seedCast(
  world: World,
  facts: Pick<DemoFacts, 'sample_site_url' | 'sign_in_site_url'> & {
    kept: Partial<DemoFacts> | undefined
  },
): Promise<DemoFacts> {
  const { kept, sample_site_url, sign_in_site_url } = facts
  const login = async (role: 'seller' | 'buyer' | 'affiliate' | 'operator') =>
    await seedPerson(world, CAST[role].email, kept?.[role])
  const seller = await login('seller')
  const buyer = await login('buyer')
  const affiliate = await login('affiliate')
  const operator = await login('operator')
  await identity.setStaffRole(world.db, operator.user_id, 'admin')
  const totp_secret = await seedAuthenticator(world, operator.user_id)
  await seedAffiliate(world, affiliate.user_id)
  const seller_id = await seedSeller(world, seller.user_id)

  const app = await seedApp(world, {
    app: APP,
    plans: PLANS,
    listing: LISTING,
    seller_id,
    site_url: sample_site_url,
    former_url: kept?.sample_site_url,
    kept: kept?.app,
  })
  const sign_in_app = await seedApp(world, {
    app: SIGN_IN_APP,
    plans: SIGN_IN_PLANS,
    listing: SIGN_IN_LISTING,
    seller_id,
    site_url: sign_in_site_url,
    former_url: kept?.sign_in_site_url,
    kept: kept?.sign_in_app,
  })
  await enableSignIn(world, {
    client_id: sign_in_app.client_id,
    site_url: sign_in_site_url,
    former_url: kept?.sign_in_site_url,
  })
  return {
    base_url: world.config.base_url,
    sample_site_url,
    sign_in_site_url,
    seller: seller.login,
    buyer: buyer.login,
    affiliate: { ...affiliate.login, code: CAST.affiliate.code },
    operator: { ...operator.login, totp_secret },
    app,
    sign_in_app,
  }
}

async function seedPerson(
  { db, clock, random }: World,
  address: string,
  kept: Login | undefined,
): Promise<{ user_id: UserId; login: Login }> {
  const now = clock.now()
  const { email, email_normalized } = identity.readEmail(address)!
  const { user_id } = await identity.findOrAddUser(db, now, {
    id: mintId(random, 'usr'),
    email,
    email_normalized,
    created_via: 'demo',
  })
  const password = kept?.password ?? mintSecret(random, 96)
  const user = await identity.getUser(db, user_id)
  if (!(await identity.hasPassword(user.password_hash, password))) {
    const password_hash = await identity.hashPassword(password)
    await identity.setPassword(db, now, { user_id, password_hash })
  }
  await identity.proveMailbox(db, now, user_id)
  return { user_id, login: { email, password } }
}

/** The secret of an account's authenticator app, which is set up unless it has one. */
async function seedAuthenticator(
  { db, clock, keys, random }: World,
  user_id: UserId,
): Promise<string> {
  const known = await identity.findAuthenticator(db, user_id)
  if (known) return identity.openAuthenticatorSecret(keys, known)
  const now = clock.now()
  const secret_sealed = identity.mintAuthenticatorSecret(keys, random, user_id)
  await identity.startAuthenticatorSetup(db, now, { user_id, secret_sealed })
  await identity.confirmAuthenticator(db, now, { user_id, secret_sealed, step: 0 })
  return identity.openAuthenticatorSecret(keys, { user_id, secret_sealed })
}

async function seedAffiliate({ db, clock, random }: World, user_id: UserId): Promise<void> {
  const { code } = CAST.affiliate
  if (await affiliates.findByCode(db, code)) return
  await affiliates.add(db, clock.now(), { id: mintId(random, 'aff'), user_id, code })
}

async function seedSeller(world: World, user_id: UserId): Promise<SellerId> {
  const { db, clock, random, seller_terms_version: version } = world
  const now = clock.now()
  const [known] = await sellers.membershipsOf(db, user_id)
  const id = known?.seller_id ?? mintId(random, 'sel')
  if (!known) {
    await db.tx(async (tx) => {
      const state = tax.stateOfZip(CAST.seller.zip)!
      const { email: _, ...details } = CAST.seller
      await sellers.addSeller(tx, now, { id, ...details, state })
      await sellers.addMember(tx, now, { seller_id: id, user_id, role: 'owner' })
    })
  }
  await sellers.acceptTerms(db, now, { seller_id: id, version })
  return id
}

async function seedApp(
  world: World,
  facts: {
    app: CastApp
    plans: readonly CastPlan[]
    listing: CastListing
    seller_id: SellerId
    site_url: string
    /** The URL of the site at the earlier start. */
    former_url: string | undefined
    kept: DemoApp | undefined
  },
): Promise<DemoApp> {
  const { db, clock, random, config } = world
  const { app, kept, former_url } = facts
  const existing = await earlierApp(db, app.slug, kept)
  const client_id = existing?.id ?? mintId(random, 'app')
  const known = kept?.client_id === existing?.id ? kept?.client_secret : undefined
  const client_secret = known ?? mintSecret(random)
  const oauth_login_url = `${facts.site_url}/login`
  await db.tx(async (tx) => {
    if (existing) {
      // Its seller may have entered that of a site of their own.
      const isSites = !former_url || existing.oauth_login_url === `${former_url}/login`
      if (isSites) await apps.setLoginUrl(tx, client_id, oauth_login_url)
      // Its seller may have replaced or revoked a known one.
      if (known === undefined) await apps.replaceSecret(tx, client_id, client_secret)
      await seedListing(world, tx, client_id, facts.listing)
      return
    }
    await apps.add(tx, clock.now(), {
      ...app,
      id: client_id,
      seller_id: facts.seller_id,
      oauth_login_url,
      listing_mode: 'marketplace',
      is_published: true,
      external_sales_enabled: true,
    })
    await apps.addClient(tx, clock.now(), { client_id, app_id: client_id, client_secret })
    await seedPlans(world, tx, client_id, facts.plans)
    await seedListing(world, tx, client_id, facts.listing)
  })
  const prices = (await catalog.livePrices(db, client_id)).map(({ id, frequency, amount }) => ({
    public_id: id,
    frequency,
    amount: formatAmount(amount),
    buy_url: `${config.base_url}/buy/${id}/`,
  }))
  const { slug, url } = existing ?? app
  return { slug, client_id, client_secret, url, prices }
}

/** The apps whose secret in `demo.json` was replaced or revoked since: their sites are refused. */
export async function appsWithFormerSecret(db: Db, facts: DemoFacts): Promise<DemoApp[]> {
  const former: DemoApp[] = []
  for (const app of [facts.app, facts.sign_in_app]) {
    const client = await apps.findClient(db, app.client_id)
    if (!apps.hasSecret(client, app.client_secret)) former.push(app)
  }
  return former
}

/** The app of an earlier start, also one that its seller renamed or took off sale. */
async function earlierApp(
  db: Db,
  slug: string,
  kept: DemoApp | undefined,
): Promise<apps.App | undefined> {
  const client_id = readId('app', kept?.client_id)
  const known = client_id && (await apps.find(db, client_id))
  return known ?? (await apps.findBySlug(db, slug))
}

/**
 * Prepares an app for hosted sign-in: the URLs of its site, in place of those of the site's former
 * URL or, without one, of all; and the add-on, unless its seller enabled it before.
 */
export async function enableSignIn(
  { db, clock }: World,
  app: { client_id: AppId; site_url: string; former_url?: string | undefined },
): Promise<void> {
  const own = urlsOf(app.site_url)
  const before = await apps.getClientOf(db, app.client_id)
  const former = app.former_url ? urlsOf(app.former_url) : before
  const listOf = (name: keyof apps.RedirectLists) => {
    const others = before[name].filter((url) => !former[name].includes(url))
    return [...new Set([...own[name], ...others])]
  }
  await apps.setRedirectLists(db, app.client_id, {
    redirect_uris: listOf('redirect_uris'),
    post_logout_redirect_uris: listOf('post_logout_redirect_uris'),
  })
  const { addon_enabled_at } = await apps.get(db, app.client_id)
  if (addon_enabled_at === null) await apps.enableAddOn(db, clock.now(), app.client_id)
}

function urlsOf(site_url: string): apps.RedirectLists {
  return {
    redirect_uris: [`${site_url}/auth/callback`],
    post_logout_redirect_uris: [`${site_url}/`],
  }
}
