import { mock } from 'node:test'
import * as client from 'openid-client'
import * as identity from '#domain/identity'
import { type AppId, mintId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { sql } from '#platform/sql'
import { enableSignIn } from '../../src/demo/seed.ts'
import { Agent, type Seen } from './agent.ts'
import { ManualClock } from './clock.ts'
import { openTestService, type TestService } from './service.ts'

/** A clock that also sets the machine's time, which the sign-in library reads. */
export class SharedClock extends ManualClock {
  constructor() {
    super(new Date(Math.floor(Date.now() / 1000) * 1000))
    mock.timers.enable({ apis: ['Date'], now: this.now() })
  }

  override pass(seconds: number): void {
    super.pass(seconds)
    mock.timers.setTime(this.now().getTime())
  }
}

/**
 * A listening service with the cast's app set up for hosted sign-in, and a client library for the
 * app.
 */
export interface SignInTest extends TestService {
  /** The app's configuration of openid-client. */
  app_side: client.Configuration
  callback: string
  home: string
}

/** Opens a service for tests of hosted sign-in; the test controls both clocks. */
export async function openSignInTest(): Promise<SignInTest> {
  const service = await openTestService({ clock: new SharedClock() })
  await service.listen()
  const { client_id, client_secret } = service.demo.app
  const app_side = await discover(service, { client_id, client_secret })
  const home = service.demo.sample_site_url
  await enableSignIn(service.world, { client_id, site_url: home })
  return {
    ...service,
    app_side,
    callback: `${home}/auth/callback`,
    home: `${home}/`,
    async close() {
      await service.close()
      mock.timers.reset()
    },
  }
}

/** The service's discovery document with the app's credentials, as the app's server uses them. */
export async function discover(
  { world }: TestService,
  app: { client_id: AppId; client_secret: string },
  authentication?: client.ClientAuth,
): Promise<client.Configuration> {
  const issuer = new URL(`${world.config.base_url}/o`)
  const insecure = { execute: [client.allowInsecureRequests] }
  return await client.discovery(issuer, app.client_id, app.client_secret, authentication, insecure)
}

/** A second app with a client; `linked: false` creates a client that belongs to no app. */
export async function addApp(
  { world }: TestService,
  facts: { redirect_uris: string[]; post_logout_redirect_uris?: string[]; linked?: boolean },
): Promise<{ client_id: AppId; client_secret: string }> {
  const { db, clock, random } = world
  const now = clock.now()
  const client_id = mintId(random, 'app')
  const client_secret = mintSecret(random)
  if (facts.linked !== false) {
    await db.raw(
      `insert into apps (id, slug, seller_id, name, url, oauth_login_url, created_at)
      select $1, lower($2), seller_id, 'Driftwood', 'https://driftwood.example',
        'https://driftwood.example/login', $3 from apps limit 1`,
      [client_id, client_id.replace('_', '-'), now],
    )
  }
  await db.raw(
    `insert into clients (client_id, app_id, secret_hash, redirect_uris,
      post_logout_redirect_uris, created_at) values ($1, $2, sha256($3::bytea), $4, $5, $6)`,
    [
      client_id,
      facts.linked === false ? null : client_id,
      Buffer.from(client_secret),
      facts.redirect_uris,
      facts.post_logout_redirect_uris ?? [],
      now,
    ],
  )
  return { client_id, client_secret }
}

/** A new browser of a person. */
export function browser({ app, world }: TestService): Agent {
  return new Agent(app, world.config.base_url)
}

/** A person with a confirmed email, without a purchase or a password. */
export async function addPerson({ world }: TestService, address: string) {
  const { db, clock, random } = world
  const { email, email_normalized } = identity.readEmail(address)!
  const { user_id } = await identity.findOrAddUser(db, clock.now(), {
    id: mintId(random, 'usr'),
    email,
    email_normalized,
    created_via: 'signup',
  })
  await identity.proveMailbox(db, clock.now(), user_id)
  return { user_id, email }
}

/** Signs a person in to the service in a new browser, or in `agent`. */
export async function signInAs(
  service: TestService,
  { user_id }: { user_id: UserId },
  { agent = browser(service), app_id = null }: { agent?: Agent; app_id?: AppId | null } = {},
): Promise<Agent> {
  const { db, clock, random } = service.world
  const token = mintSecret(random)
  const device = { browser: 'A test', network: '127.0.0.1' }
  const id = mintId(random, 'ses')
  await identity.openSession(db, clock.now(), { id, token, user_id, app_id, device })
  agent.cookies.set('__Host-session', token)
  return agent
}

/** Signs in on the service's sign-in page and continues from there. */
export async function signInHere(
  agent: Agent,
  person: { email: string; password: string },
): Promise<Seen> {
  const { email, password } = person
  return await agent.submit('Sign in', { email, password })
}

/** A sign-in attempt: what the app stores until the person returns. */
export interface Attempt {
  url: URL
  verifier: string
  state: string
  nonce?: string
}

/** Starts a sign-in as the app's server does. */
export async function startSignIn(
  config: client.Configuration,
  redirect_uri: string,
  extra: Record<string, string> = {},
): Promise<Required<Attempt>> {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const nonce = client.randomNonce()
  const url = client.buildAuthorizationUrl(config, {
    redirect_uri,
    scope: 'openid entitlements',
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    nonce,
    ...extra,
  })
  return { url, verifier, state, nonce }
}

/** Exchanges the code that a browser returned with. */
export async function exchange(
  config: client.Configuration,
  attempt: Attempt,
  callback: string,
  checks: client.AuthorizationCodeGrantChecks = {},
): Promise<client.TokenEndpointResponse & client.TokenEndpointResponseHelpers> {
  return await client.authorizationCodeGrant(config, new URL(callback), {
    pkceCodeVerifier: attempt.verifier,
    expectedState: attempt.state,
    ...(attempt.nonce === undefined ? {} : { expectedNonce: attempt.nonce }),
    ...checks,
  })
}

/** Opens an app's sign-in and consents if asked, up to the app's callback. */
export async function authorizeApp(agent: Agent, attempt: Attempt): Promise<Seen> {
  const page = await agent.open(attempt.url.href)
  return page.url.startsWith('/o/interaction/') ? await agent.submit('Allow') : page
}

/** Signs the browser's person in to the cast's app, and returns the tokens. */
export async function signInToApp(setup: SignInTest, agent: Agent) {
  const attempt = await startSignIn(setup.app_side, setup.callback)
  const { url } = await authorizeApp(agent, attempt)
  return await exchange(setup.app_side, attempt, url)
}

/** The response of the entitlement endpoint to a token. */
export async function entitlementOf({ app }: TestService, access_token: string) {
  return await app.inject({
    url: '/licensing/entitlement/',
    headers: { authorization: `Bearer ${access_token}` },
  })
}

/** Ends the life of every access token, as an hour would. */
export async function expireAccessTokens({ world }: Pick<TestService, 'world'>): Promise<void> {
  const { db, clock } = world
  await db.run(sql`update oidc_records set expires_at = ${clock.now()} where kind = 'AccessToken'`)
}

/** The parameters of a redirect. */
export const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams)

/** The path to which a sign-in page leads back. */
export function returnPathOf(url: string): string {
  const path = new URL(url, 'http://localhost').searchParams.get('return_to')
  if (path === null) throw new Error(`${url} leads back nowhere`)
  return path
}
