/** Hosted sign-in: OpenID Connect with PKCE, on the app's server (spec: Authentication). */
import { createFlights } from './flight.ts'
import { createIssuer } from './issuer.ts'
import { serviceAddress, withQuery } from './links.ts'
import { codeOf, decodeLogin, encodeLogin, failure, isPath, random } from './login.ts'
import { sha256 } from './signed.ts'
import { createTokens, type SignInTokens } from './tokens.ts'
import { createTransport, type Fetch, TIMEOUT_MS } from './transport.ts'

export type SignInOptions = {
  /** The URL of the service, as browsers know it. */
  base_url: string
  client_id: string
  client_secret: string
  /** Replaces the runtime's own fetch. */
  fetch?: Fetch | undefined
  /** The longest that a request may take, including retries. Default 10,000. */
  timeout_ms?: number | undefined
}

export type AuthorizationOptions = {
  /** One of the app's redirect URIs, byte for byte. */
  redirect_uri: string
  /** A path of your site to continue on after the sign-in, such as `/reports?year=2026`. */
  return_to?: string | undefined
  /** Default `openid entitlements`. */
  scope?: string | undefined
  /** `login` asks for the password again; `none` shows no page and fails if one is needed. */
  prompt?: 'login' | 'consent' | 'none' | undefined
  /** The languages for the pages, the preferred one first: `es` or `es-MX en`. */
  ui_locales?: string | undefined
  /** The email that you expect: the sign-in page fills it in. */
  login_hint?: string | undefined
}

export type AuthorizationLink = {
  /** Redirect the browser here. */
  url: string
  /** Keep it in a cookie of this browser: HttpOnly, Secure, SameSite=Lax. */
  login: string
  /** How long the cookie is needed. */
  max_age_seconds: number
}

export type SignedIn = {
  tokens: SignInTokens
  /** The path that `authorizationLink` was given, or `/`. It is always a path of your own site. */
  return_to: string
}

export type SignIn = {
  /** Starts a sign-in. Throws TypeError for an invalid redirect_uri or return_to. */
  authorizationLink(options: AuthorizationOptions): Promise<AuthorizationLink>
  /**
   * Completes a sign-in: `url` is the address that the browser returned to (a path is enough), and
   * `login` the value from its cookie. Throws SignInError: `access_denied` if the person canceled;
   * `invalid_grant` if the code is older than a minute or was used before; `login_expired` and
   * `state_mismatch` if this browser did not start the sign-in. Delete the cookie in either case.
   */
  callback(url: string | URL, login: string | undefined): Promise<SignedIn>
  /**
   * Replaces the tokens: store the result at once. Calls with the same refresh token share one
   * request, also for ten seconds after it, so that concurrent visits do not look like a stolen
   * token. Throws SignInError `invalid_grant` if the person signed out: sign in again.
   */
  refresh(tokens: SignInTokens): Promise<SignInTokens>
  /** The same tokens, or refreshed ones if the access token expires within 30 seconds. */
  freshTokens(tokens: SignInTokens): Promise<SignInTokens>
  /**
   * The page that signs the person out at the service too and then leads to
   * `post_logout_redirect_uri`, one of the app's own, with `state`.
   */
  logoutLink(
    tokens: Pick<SignInTokens, 'id_token'> | null,
    options?: { post_logout_redirect_uri?: string | undefined; state?: string | undefined },
  ): Promise<string>
}

const LOGIN_SECONDS = 3600
const EARLY_MS = 30_000
const KEPT_MS = 10_000

/**
 * Creates the hosted sign-in of one app. Nothing is requested before the first call. The library
 * keeps no session: store the tokens in yours. Throws TypeError for an invalid base_url or an empty
 * client ID or secret.
 */
export function createSignIn(options: SignInOptions): SignIn {
  const { client_id, fetch, timeout_ms } = options
  const issuer = createIssuer(
    `${serviceAddress(options.base_url)}/o`,
    createTransport({ fetch, timeout_ms }),
  )
  const tokens = createTokens(options, issuer)
  const share = createFlights<SignInTokens>(timeout_ms ?? TIMEOUT_MS, KEPT_MS)

  const signIn: SignIn = {
    async authorizationLink({
      redirect_uri,
      return_to = '/',
      scope,
      prompt,
      ui_locales,
      login_hint,
    }) {
      if (!URL.canParse(redirect_uri)) throw new TypeError('redirect_uri must be an absolute URL')
      if (!isPath(return_to)) throw new TypeError('return_to must be a path, such as "/account"')
      const [state, nonce, verifier] = [random(), random(), random()] as const
      const { authorization_endpoint } = await issuer.metadata()
      const url = withQuery(authorization_endpoint, {
        client_id,
        redirect_uri,
        response_type: 'code',
        scope: scope ?? 'openid entitlements',
        state,
        nonce,
        prompt,
        ui_locales,
        login_hint,
        code_challenge: await sha256(verifier),
        code_challenge_method: 'S256',
      })
      const expires_at = Date.now() + LOGIN_SECONDS * 1000
      const login = encodeLogin({ state, nonce, verifier, redirect_uri, return_to, expires_at })
      return { url, login, max_age_seconds: LOGIN_SECONDS }
    },

    async callback(url, kept) {
      const login = decodeLogin(kept)
      if (!login) throw failure('login_expired', 'This browser has no sign-in in progress.')
      const query = new URL(url, login.redirect_uri).searchParams
      const code = codeOf(query, login, await issuer.metadata())
      return { tokens: await tokens.exchange(code, login), return_to: login.return_to }
    },

    refresh: (old) =>
      share(old.refresh_token ?? '', () => tokens.renew(old)).then((renewed) => ({ ...renewed })),

    freshTokens: async (old) =>
      Date.now() < old.expires_at - EARLY_MS ? old : await signIn.refresh(old),

    async logoutLink(old, { post_logout_redirect_uri, state } = {}) {
      const { end_session_endpoint } = await issuer.metadata()
      const id_token_hint = old?.id_token
      return withQuery(end_session_endpoint, {
        client_id,
        id_token_hint,
        post_logout_redirect_uri,
        state,
      })
    },
  }
  return Object.freeze(signIn)
}
