import * as client from 'openid-client'
import * as grants from '#domain/grants'
import type { Agent } from './agent.ts'
import type { TestService } from './service.ts'
import { type Attempt, exchange } from './sign-in.ts'

/** Where an agent waits that picked a free port. */
export const CALLBACK = 'http://127.0.0.1:33418/callback'

/** The scopes that let an agent change something, as the boxes of the consent page. */
export const WRITE = { 'integrations.write': 'yes', 'listing.write': 'yes' }

/** What an agent knows of the service: its discovery document, and the client id of all agents. */
export async function discoverAsAgent({ world }: TestService): Promise<client.Configuration> {
  const issuer = new URL(`${world.config.base_url}/o`)
  const insecure = { execute: [client.allowInsecureRequests] }
  return await client.discovery(issuer, grants.AGENT_CLIENT, undefined, client.None(), insecure)
}

/** Starts asking for access as an agent does; a parameter that is `undefined` is left out. */
export async function ask(
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

/** Asks in a browser that is signed in, and allows it with these boxes checked. */
export async function connect(
  side: client.Configuration,
  browser: Agent,
  facts: { changes?: Record<string, string | undefined>; checked?: Record<string, string> } = {},
) {
  const attempt = await ask(side, facts.changes)
  await browser.open(attempt.url.href)
  const { url } = await browser.submit('Allow', facts.checked ?? WRITE)
  return await exchange(side, attempt, url)
}
