/** Hosted sign-in, with a standard OpenID Connect library: begin, finish, renew, sign out. */
import { UnreachableError } from '@purser/client'
import * as oidc from 'openid-client'

/** What this site stores of a person who signed in. It never leaves the server. */
export type Tokens = {
  /** Who it is, in this app and in no other. Keep your records under it. */
  sub: string
  access_token: string
  refresh_token: string | undefined
  id_token: string
  /** Milliseconds since 1970. */
  expires_at: number
}

/** A sign-in that was started: what the response must match. */
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

  /** The addresses and keys of the issuer, read once; a failure is tried again next time. */
  function configuration(): Promise<oidc.Configuration> {
    found ??= discover(app).catch((error) => {
      found = undefined
      throw error
    })
    return found
  }

  return {
    /** Where to send a browser to sign in and come back to `callback`. */
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

    /** Exchanges what the browser brought back. Throws `SignInRefused` where there was a no. */
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

    /** New tokens for old ones; null where they were revoked and nothing but signing in helps. */
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

    /** Where to send a browser to sign out at Purser too, and come back to `home`. */
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
  answer: Awaited<ReturnType<typeof oidc.refreshTokenGrant>>,
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

/** Distinguishes a refusal from an issuer that does not respond; anything else, such as a forged token, stays a fault. */
function explain(error: unknown): never {
  if (error instanceof oidc.AuthorizationResponseError) throw new SignInRefused(error.error)
  if (error instanceof oidc.ResponseBodyError && error.status < 500) {
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
