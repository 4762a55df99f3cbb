/** Hosted sign-in with a standard OpenID Connect library: begin, finish, refresh, sign out. */
import { UnreachableError } from '@purser/client'
import * as oidc from 'openid-client'

/** What this site stores about a signed-in person. It never leaves the server. */
export type Tokens = {
  /** The person's ID in this app. Store your records under it. */
  sub: string
  access_token: string
  refresh_token: string | undefined
  id_token: string
  /** Milliseconds since 1970. */
  expires_at: number
}

/** A started sign-in: what the response must match. */
export type Attempt = { state: string; nonce: string; code_verifier: string }

/** The person pressed Cancel, or Purser refused the request; `code` is the OAuth error. */
export class SignInRefused extends Error {
  readonly code: string

  constructor(code: string) {
    super(`the sign-in ended with ${code}`)
    this.code = code
  }
}

export type SignIn = ReturnType<typeof createSignIn>

export function createSignIn(app: { base_url: string; client_id: string; client_secret: string }) {
  let found: Promise<oidc.Configuration> | undefined

  /** The metadata and keys of the issuer, read once; a failure is retried the next time. */
  function configuration(): Promise<oidc.Configuration> {
    found ??= discover(app).catch((error) => {
      found = undefined
      throw error
    })
    return found
  }

  return {
    /** The URL that signs a browser in and returns to `callback`. */
    async begin(callback: string): Promise<{ address: string; attempt: Attempt }> {
      const attempt = {
        state: oidc.randomState(),
        nonce: oidc.randomNonce(),
        code_verifier: oidc.randomPKCECodeVerifier(),
      }
      const address = oidc.buildAuthorizationUrl(await configuration(), {
        redirect_uri: callback,
        scope: 'openid entitlements',
        state: attempt.state,
        nonce: attempt.nonce,
        code_challenge: await oidc.calculatePKCECodeChallenge(attempt.code_verifier),
        code_challenge_method: 'S256',
      })
      return { address: address.href, attempt }
    },

    /**
     * Exchanges the code that the browser returned with. Throws `SignInRefused` if it was refused.
     */
    async finish(arrived: URL, attempt: Attempt): Promise<Tokens> {
      const grant = oidc.authorizationCodeGrant(await configuration(), arrived, {
        expectedState: attempt.state,
        expectedNonce: attempt.nonce,
        pkceCodeVerifier: attempt.code_verifier,
        idTokenExpected: true,
      })
      const answer = await grant.catch(explain)
      return tokensOf(answer, { sub: answer.claims()?.sub ?? '', id_token: answer.id_token ?? '' })
    },

    /** Refreshes tokens; null if they were revoked, so that the person must sign in again. */
    async renew(tokens: Tokens): Promise<Tokens | null> {
      if (tokens.refresh_token === undefined) return null
      try {
        const grant = oidc.refreshTokenGrant(await configuration(), tokens.refresh_token)
        return tokensOf(await grant.catch(explain), tokens)
      } catch (error) {
        if (error instanceof SignInRefused && error.code === 'invalid_grant') return null
        throw error
      }
    },

    /** The URL that signs a browser out at Purser too, and returns to `home`. */
    async signOut(tokens: Tokens, home: string): Promise<string> {
      return oidc.buildEndSessionUrl(await configuration(), {
        id_token_hint: tokens.id_token,
        post_logout_redirect_uri: home,
      }).href
    },
  }
}

async function discover({
  base_url,
  client_id,
  client_secret,
}: Parameters<typeof createSignIn>[0]) {
  const issuer = new URL('o', `${base_url.replace(/\/+$/, '')}/`)
  // Plain http is for development, where Purser runs on this machine.
  const execute = issuer.protocol === 'http:' ? [oidc.allowInsecureRequests] : []
  const options = { execute, timeout: 5 }
  return await oidc.discovery(issuer, client_id, client_secret, undefined, options).catch(explain)
}

function tokensOf(
  answer: oidc.TokenEndpointResponse & oidc.TokenEndpointResponseHelpers,
  known: Pick<Tokens, 'sub' | 'id_token'> & { refresh_token?: string | undefined },
): Tokens {
  return {
    sub: known.sub,
    access_token: answer.access_token,
    refresh_token: answer.refresh_token ?? known.refresh_token,
    id_token: answer.id_token ?? known.id_token,
    expires_at: Date.now() + (answer.expiresIn() ?? 0) * 1000,
  }
}

const NO_ANSWER = [
  'OAUTH_TIMEOUT',
  'OAUTH_PARSE_ERROR',
  'OAUTH_RESPONSE_IS_NOT_CONFORM',
  'OAUTH_RESPONSE_IS_NOT_JSON',
]

/**
 * Distinguishes a refusal from an unreachable issuer; other errors, such as a forged token, are
 * thrown unchanged.
 */
function explain(error: unknown): never {
  if (error instanceof oidc.AuthorizationResponseError) throw new SignInRefused(error.error)
  const is_refusal = error instanceof oidc.ResponseBodyError && error.status < 500
  if (is_refusal && error.status !== 429) {
    throw new SignInRefused(error.error)
  }
  const is_silent =
    error instanceof oidc.ResponseBodyError ||
    error instanceof TypeError ||
    NO_ANSWER.includes(String(Object(error).code))
  if (!is_silent) throw error
  const details = { status: null, code: 'unreachable', request_id: null }
  throw new UnreachableError(`Purser's sign-in did not answer: ${error}`, details)
}
