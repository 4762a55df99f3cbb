import * as client from 'openid-client'
import * as grants from '#domain/grants'
import type { UserId } from '#platform/ids'
import type { Agent } from './agent.ts'
import type { TestService } from './service.ts'
import { type Attempt, addPerson, exchange, openSignInTest, type SignInTest } from './sign-in.ts'

/** The redirect URL of an agent that picked a free port. */
export const CALLBACK = 'http://127.0.0.1:33418/callback'

/** The write scopes, as checkboxes of the consent page. */
export const WRITE = { 'integrations.write': 'yes', 'listing.write': 'yes' }

/** The discovery document and the shared client ID, as an agent uses them. */
export async function discoverAsAgent({ world }: TestService): Promise<client.Configuration> {
  const issuer = new URL(`${world.config.base_url}/o`)
  const insecure = { execute: [client.allowInsecureRequests] }
  return await client.discovery(issuer, grants.AGENT_CLIENT, undefined, client.None(), insecure)
}

/** A service for tests of how agents sign in: an agent's side, and a seller to sign in as. */
export interface AgentSignInTest {
  setup: SignInTest
  side: client.Configuration
  seller: { user_id: UserId; email: string }
  /** The audience of the agent endpoint's tokens. */
  audience: string
  /** Whom a token lets in, as the agent endpoint finds them. */
  bearer(token: string): ReturnType<typeof grants.findBearer>
  refresh(token: string | undefined): ReturnType<typeof client.refreshTokenGrant>
}

/** Opens a service for tests of how agents sign in. */
export async function openAgentSignInTest(): Promise<AgentSignInTest> {
  const setup = await openSignInTest()
  const side = await discoverAsAgent(setup)
  const audience = `${setup.world.config.base_url}/mcp`
  return {
    setup,
    side,
    seller: await addPerson(setup, setup.demo.seller.email),
    audience,
    bearer: (token) => grants.findBearer(setup.world.db, setup.clock.now(), { token, audience }),
    refresh: (token) => client.refreshTokenGrant(side, token!),
  }
}

/**
 * Starts an authorization request as an agent does; parameters that are `undefined` are omitted.
 */
export async function startAuthorization(
  side: client.Configuration,
  changes: Record<string, string | undefined> = {},
): Promise<Attempt> {
  const verifier = client.randomPKCECodeVerifier()
  const state = client.randomState()
  const parameters = {
    redirect_uri: CALLBACK,
    scope: grants.AGENT_SCOPES.join(' '),
    code_challenge: await client.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    state,
    ...changes,
  }
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const url = client.buildAuthorizationUrl(side, Object.fromEntries(given) as typeof parameters)
  return { url, verifier, state }
}

/** Opens the request in a signed-in browser, and allows it with these boxes checked. */
export async function connect(
  side: client.Configuration,
  browser: Agent,
  facts: { changes?: Record<string, string | undefined>; checked?: Record<string, string> } = {},
) {
  const attempt = await startAuthorization(side, facts.changes)
  await browser.open(attempt.url.href)
  const { url } = await browser.submit('Allow', facts.checked ?? WRITE)
  return await exchange(side, attempt, url)
}
