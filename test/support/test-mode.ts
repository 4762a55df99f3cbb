import { request } from 'node:http'
import * as identity from '#domain/identity'
import * as sellers from '#domain/sellers'
import { mintId, type SellerId, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import type { OpenWorld } from '../../src/open-world.ts'
import { Agent } from './agent.ts'
import { ManualClock } from './clock.ts'
import { openTestDatabase } from './database.ts'
import { signedIn } from './seller.ts'
import { type Choices, openTestService, type TestService } from './service.ts'
import { SECRET_KEY, StripeDouble, WEBHOOK_SECRET } from './stripe-double.ts'

/** A listening service with a double of Stripe, and a test mode beside it. */
export interface BothModes {
  live: TestService
  /** The test mode as a service of its own, for helpers that take one. */
  test: TestService
  test_url: string
  close(): Promise<void>
}

/** Opens live mode with a double of Stripe, and the test mode beside it. */
export async function openBothModes(choices: Choices = {}): Promise<BothModes> {
  const { live, test_url, close } = await openLiveMode({
    ...choices,
    test_mode: { db: await openTestDatabase() },
  })
  const open: OpenWorld = await live.test_mode!
  return { live, test: { ...live, world: open.world, app: open.app }, test_url, close }
}

/** Opens live mode with a double of Stripe; its test mode is opened in the background. */
export async function openLiveMode(choices: Choices = {}) {
  const clock = choices.clock ?? new ManualClock()
  const double = await StripeDouble.open(() => clock.now())
  const port = await freePort()
  const test_url = `http://test.localhost:${port}`
  const live = await openTestService({
    ...choices,
    clock,
    settings: {
      PORT: String(port),
      STRIPE_SECRET_KEY: SECRET_KEY,
      STRIPE_WEBHOOK_SECRET: WEBHOOK_SECRET,
      STRIPE_API_BASE: double.url,
      TEST_MODE_URL: test_url,
      ...choices.settings,
    },
  })
  await live.listen()
  return {
    live,
    test_url,
    async close() {
      await live.close()
      await double.close()
    },
  }
}

/** A browser in test mode that is about to enter, and the address that signs it in. */
export async function openEntry(
  { test, test_url }: BothModes,
  agent: Agent,
): Promise<{ there: Agent; url: string }> {
  const wanted = await agent.submit('Test mode')
  const there = new Agent(test.app, test_url)
  const named = await there.open(wanted.url)
  const { url } = await agent.open(named.url)
  return { there, url }
}

/** Enters test mode from the page of a browser in live mode; returns the browser there. */
export async function enterTestMode(modes: BothModes, agent: Agent): Promise<Agent> {
  const { there, url } = await openEntry(modes, agent)
  await there.open(url)
  return there
}

/** The browser of the cast's seller in test mode, which it entered from the dashboard. */
export async function sellerInTestMode(modes: BothModes): Promise<Agent> {
  const agent = await signedIn(modes.live, modes.live.demo.seller)
  await agent.open('/dashboard/')
  return await enterTestMode(modes, agent)
}

/** Requests a path over the network with this Host header. */
export async function requestAs(
  port: number,
  host: string,
  path: string,
): Promise<{ status: number; body: string }> {
  const options = { host: '127.0.0.1', port, path, headers: { host } }
  const sent = request(options).end()
  const { promise, resolve, reject } = Promise.withResolvers<{ status: number; body: string }>()
  sent.on('error', reject).on('response', async (response) => {
    const body = (await response.toArray()).join('')
    resolve({ status: response.statusCode ?? 0, body })
  })
  return await promise
}

/** The cast's seller in live mode. */
export async function sellerId(live: TestService): Promise<SellerId> {
  const { email } = live.demo.seller
  const user = (await identity.findByEmail(live.world.db, email))!
  return (await sellers.membershipsOf(live.world.db, user.id))[0]!.seller_id
}

/** A new developer of the cast's seller, signed in to live mode. */
export async function addDeveloper(
  live: TestService,
  email: string,
): Promise<{ agent: Agent; user_id: UserId }> {
  const { db, clock, random } = live.world
  const now = clock.now()
  const id = mintId(random, 'usr')
  const facts = { id, email, email_normalized: email, created_via: 'signup' as const }
  await identity.findOrAddUser(db, now, facts)
  await identity.proveMailbox(db, now, id)
  await sellers.addMember(db, now, {
    seller_id: await sellerId(live),
    user_id: id,
    role: 'developer',
  })
  const token = mintSecret(random)
  const device = { browser: 'Firefox', network: 'unknown' }
  const session = { id: mintId(random, 'ses'), token, user_id: id, app_id: null, device }
  await identity.openSession(db, now, session)
  const cookies = new Map([['__Host-session', token]])
  const agent = new Agent(live.app, live.world.config.base_url, { cookies })
  await agent.open('/dashboard/')
  return { agent, user_id: id }
}

/** A new client secret of an app in test mode, made in the browser of a member there. */
export async function testSecret(agent: Agent, slug: string): Promise<string> {
  await agent.open(`/dashboard/apps/${slug}/integration/secret/`)
  const shown = await agent.submit(/^(Create|Rotate) secret$/)
  return /id="client_secret"[^>]*>([\w-]{43})</.exec(shown.body)![1]!
}
