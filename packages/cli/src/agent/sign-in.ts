/** OAuth 2.0 of the agent endpoint: authorization code with PKCE, by the client of all agents. */
import * as oauth from 'oauth4webapi'
import { CliError, EXIT } from '../exit.ts'
import { isLoopback } from '../settings.ts'
import { USER_AGENT } from '../version.ts'
import {
  readTokens,
  type StoredTokens,
  tokenFile,
  withTokenLock,
  writeTokens,
} from './token-store.ts'

/** The client that all agents share. It is public and has no secret. */
const AGENT: oauth.Client = { client_id: 'purser-agent', token_endpoint_auth_method: 'none' }

/** An access token is replaced when it has less than this left. */
const MARGIN_MS = 60_000
const TIMEOUT_MS = 10_000

const inForm = new Headers({ 'user-agent': USER_AGENT })

function optionsFor(url: string) {
  return {
    headers: inForm,
    signal: () => AbortSignal.timeout(TIMEOUT_MS),
    [oauth.allowInsecureRequests]: isLoopback(new URL(url)),
  }
}

async function discover(url: string): Promise<oauth.AuthorizationServer> {
  const issuer = new URL(`${url}/o`)
  try {
    const answer = await oauth.discoveryRequest(issuer, optionsFor(url))
    return await oauth.processDiscoveryResponse(issuer, answer)
  } catch {
    const message = `${url} is unreachable, or is not Purser. Check the URL.`
    throw new CliError('unreachable', message, EXIT.unreachable)
  }
}

/** A response of the service. Throws CliError if there is none, or one that says to try later. */
async function answered(url: string, sent: Promise<Response>): Promise<Response> {
  const answer = await sent.catch(() => undefined)
  if (answer && answer.status < 500 && answer.status !== 429) return answer
  const message = `${url} did not answer, or limits you. Try again later.`
  throw new CliError('unreachable', message, EXIT.unreachable)
}

/** The address to open in a browser, and what exchanges the answer for tokens. */
export interface BegunSignIn {
  authorization_url: string
  /**
   * Takes the parameters that the browser returned with. Stores the tokens, and revokes those that
   * they replace. Throws CliError.
   */
  finish(answer: URL): Promise<StoredTokens>
}

/** Begins a sign-in that returns to `redirect_uri`, on this machine. */
export async function beginSignIn(
  url: string,
  facts: { redirect_uri: string; scope: string },
): Promise<BegunSignIn> {
  const server = await discover(url)
  const { redirect_uri, scope } = facts
  const verifier = oauth.generateRandomCodeVerifier()
  const state = oauth.generateRandomState()
  const authorization = new URL(server.authorization_endpoint!)
  const parameters = {
    client_id: AGENT.client_id,
    response_type: 'code',
    redirect_uri,
    scope,
    state,
    code_challenge: await oauth.calculatePKCECodeChallenge(verifier),
    code_challenge_method: 'S256',
    resource: `${url}/mcp`,
  }
  for (const [name, value] of Object.entries(parameters)) {
    authorization.searchParams.set(name, value)
  }
  return {
    authorization_url: authorization.href,
    async finish(answer) {
      try {
        const callback = oauth.validateAuthResponse(server, AGENT, answer, state)
        const sent = oauth.authorizationCodeGrantRequest(
          server,
          AGENT,
          oauth.None(),
          callback,
          redirect_uri,
          verifier,
          optionsFor(url),
        )
        const response = await answered(url, sent)
        const tokens = await oauth.processAuthorizationCodeResponse(server, AGENT, response)
        const [replaced, stored] = await withTokenLock(async () => {
          return [readTokens(url), store(url, tokens, scope)] as const
        })
        // The person is signed in, whatever becomes of the previous tokens: they expire.
        if (replaced) await revoke(server, replaced, url).catch(() => {})
        return stored
      } catch (error) {
        throw failedSignIn(error)
      }
    },
  }
}

function failedSignIn(error: unknown): unknown {
  if (error instanceof oauth.AuthorizationResponseError) {
    const canceled = error.error === 'access_denied'
    const message = canceled
      ? 'The sign-in was canceled in the browser.'
      : `The sign-in failed: ${error.error_description ?? error.error}.`
    return new CliError(error.error, message, canceled ? EXIT.negative : EXIT.refused)
  }
  if (error instanceof oauth.ResponseBodyError) {
    const isLate = error.error === 'invalid_grant'
    const message = isLate
      ? 'The answer of the browser was used before, or is older than a minute. Try again.'
      : `The sign-in failed: ${error.error_description ?? error.error}.`
    return new CliError(error.error, message, EXIT.refused)
  }
  if (error instanceof oauth.OperationProcessingError) {
    const message = 'The browser returned from a different sign-in. Try again.'
    return new CliError('state_mismatch', message, EXIT.refused)
  }
  return error
}

function store(url: string, tokens: oauth.TokenEndpointResponse, scope: string): StoredTokens {
  const { access_token, refresh_token, expires_in = 0 } = tokens
  const stored = {
    access_token,
    refresh_token: refresh_token ?? null,
    expires_at: Date.now() + expires_in * 1000,
    scope: tokens.scope ?? scope,
  }
  writeTokens(url, stored)
  return stored
}

/**
 * An access token of the signed-in person, refreshed if it is about to expire. With `refused`, the
 * token that the service no longer accepts, another one. Throws CliError `sign_in_required`.
 */
export async function accessToken(url: string, refused?: string): Promise<string> {
  const current = readTokens(url)
  if (!current) throw signInFirst(url)
  if (isFresh(current, refused)) return current.access_token
  return await withTokenLock(async () => {
    // Another process may have refreshed them while this one waited.
    const tokens = readTokens(url)
    if (!tokens) throw signInFirst(url)
    if (isFresh(tokens, refused)) return tokens.access_token
    return (await refresh(url, tokens)).access_token
  })
}

function isFresh({ access_token, expires_at }: StoredTokens, refused?: string): boolean {
  return access_token !== refused && expires_at - Date.now() > MARGIN_MS
}

async function refresh(url: string, tokens: StoredTokens): Promise<StoredTokens> {
  const { refresh_token, scope } = tokens
  if (refresh_token === null) throw signInFirst(url)
  // A refresh token works once: it is only used if the file takes what replaces it.
  writeTokens(url, tokens)
  const server = await discover(url)
  try {
    const sent = oauth.refreshTokenGrantRequest(
      server,
      AGENT,
      oauth.None(),
      refresh_token,
      optionsFor(url),
    )
    const answer = await answered(url, sent)
    const fresh = await oauth.processRefreshTokenResponse(server, AGENT, answer)
    return store(url, { refresh_token, ...fresh }, scope)
  } catch (error) {
    if (!(error instanceof oauth.ResponseBodyError)) throw error
    if (error.error === 'invalid_grant') writeTokens(url, undefined)
    throw signInFirst(url)
  }
}

function signInFirst(url: string): CliError {
  const message = process.env.PURSER_SIGN_IN_FILE
    ? `${tokenFile()} has no sign-in to ${url}, or it has ended. Run purser login with this PURSER_SIGN_IN_FILE.`
    : 'You are not signed in, or your sign-in has ended. Run purser login.'
  return new CliError('sign_in_required', message, EXIT.sign_in)
}

async function revoke(
  server: oauth.AuthorizationServer,
  { refresh_token, access_token }: StoredTokens,
  url: string,
): Promise<void> {
  for (const token of [refresh_token, access_token]) {
    if (token === null || !server.revocation_endpoint) continue
    const sent = oauth.revocationRequest(server, AGENT, oauth.None(), token, optionsFor(url))
    await oauth.processRevocationResponse(await answered(url, sent))
  }
}

/**
 * Revokes the tokens of a service and deletes them. Returns whether there were any. Throws CliError
 * if they are deleted but could not be revoked.
 */
export async function signOut(url: string): Promise<boolean> {
  const tokens = readTokens(url)
  if (!tokens) return false
  try {
    await revoke(await discover(url), tokens, url)
  } catch {
    const message = `The tokens are deleted from this computer, but not revoked: ${url} did not answer. Revoke them at ${url}/account/connections/.`
    throw new CliError('not_revoked', message, EXIT.unreachable)
  } finally {
    // Also where the service cannot be reached: the tokens must not stay here.
    await withTokenLock(async () => writeTokens(url, undefined))
  }
  return true
}
