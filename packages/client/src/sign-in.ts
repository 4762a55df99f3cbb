/** Hosted sign-in: OpenID Connect with PKCE, on the app's server (spec: Authentication). */
import { basic } from './client.ts'
import { PurserError, type SignInCode, SignInError } from './errors.ts'
import { createFlights } from './flight.ts'
import { base64url, verifyIdToken } from './id-token.ts'
import { createIssuer, type Metadata } from './issuer.ts'
import { serviceAddress } from './links.ts'
import { type Answer, createTransport, type Fetch, string, TIMEOUT_MS } from './transport.ts'

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

/** What the app stores about a signed-in person, on its server. It can be stored as JSON. */
export type SignInTokens = {
  /** The person's ID in this app: stable, and different in every other app. */
  sub: string
  access_token: string
  /** Each refresh replaces it. */
  refresh_token: string | null
  id_token: string
  /** The scopes that were granted, separated by spaces. */
  scope: string
  /** When the access token expires, in milliseconds since 1970. */
  expires_at: number
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
  /** Begins a sign-in. Throws TypeError for an invalid redirect_uri or return_to. */
  authorizationLink(options: AuthorizationOptions): Promise<AuthorizationLink>
  /**
   * Ends a sign-in: `url` is the address that the browser returned to (a path is enough), and
   * `login` the value from its cookie. Throws SignInError: `access_denied` if the person canceled;
   * `login_expired` and `state_mismatch` if this browser did not begin the sign-in. Delete the
   * cookie in either case.
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

/** What a sign-in has to match when it ends; the browser keeps it. */
type Login = {
  state: string
  nonce: string
  verifier: string
  redirect_uri: string
  return_to: string
  expires_at: number
}

const LOGIN_SECONDS = 3600
const EARLY_MS = 30_000
const KEPT_MS = 10_000

/**
 * Creates the hosted sign-in of one app. Nothing is requested before the first call. The library
 * keeps no session: store the tokens in yours. Throws TypeError for an invalid base_url or an empty
 * secret.
 */
export function createSignIn(options: SignInOptions): SignIn {
  const { client_id, client_secret, fetch, timeout_ms } = options
  const expected = `${serviceAddress(options.base_url)}/o`
  const authorization = basic(client_id, client_secret)
  const send = createTransport({ fetch, timeout_ms })
  const issuer = createIssuer(expected, send)
  const share = createFlights<SignInTokens>(timeout_ms ?? TIMEOUT_MS, KEPT_MS)
  const check = (id_token: string, nonce: string | null) =>
    verifyIdToken(id_token, { issuer: expected, client_id, nonce }, issuer.keys)

  async function request(form: Record<string, string>, repeatable: boolean): Promise<Answer> {
    const { token_endpoint: url } = await issuer.metadata()
    const body = new URLSearchParams(form)
    const headers = { authorization }
    return await send({ method: 'POST', url, headers, body, repeatable }).catch(explain)
  }

  async function renew(tokens: SignInTokens): Promise<SignInTokens> {
    const { refresh_token } = tokens
    if (refresh_token === null) throw failure('invalid_grant', 'There is no refresh token.')
    const { body } = await request({ grant_type: 'refresh_token', refresh_token }, true)
    const id_token = string(body.id_token)
    if (id_token !== null && (await check(id_token, null)).sub !== tokens.sub) {
      throw failure('invalid_id_token', 'The ID token names another person.')
    }
    return tokensOf(body, { ...tokens, ...(id_token !== null && { id_token }) })
  }

  const signIn: SignIn = {
    async authorizationLink({ redirect_uri, return_to = '/', scope, prompt }) {
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
        code_challenge: await challengeOf(verifier),
        code_challenge_method: 'S256',
      })
      const expires_at = Date.now() + LOGIN_SECONDS * 1000
      const login = encode({ state, nonce, verifier, redirect_uri, return_to, expires_at })
      return { url, login, max_age_seconds: LOGIN_SECONDS }
    },

    async callback(url, kept) {
      const login = decode(kept)
      if (!login) throw failure('login_expired', 'This browser has no sign-in in progress.')
      const query = new URL(url, login.redirect_uri).searchParams
      const code = codeOf(query, login, await issuer.metadata())
      const { body, status } = await request(
        {
          grant_type: 'authorization_code',
          code,
          redirect_uri: login.redirect_uri,
          code_verifier: login.verifier,
        },
        false,
      )
      const id_token = string(body.id_token)
      if (id_token === null) throw failure('invalid_response', 'There is no ID token.', status)
      const { sub } = await check(id_token, login.nonce)
      const tokens = tokensOf(body, { sub, id_token, refresh_token: null, scope: '' })
      return { tokens, return_to: login.return_to }
    },

    refresh: (tokens) =>
      share(tokens.refresh_token ?? '', () => renew(tokens)).then((renewed) => ({ ...renewed })),

    freshTokens: async (tokens) =>
      Date.now() < tokens.expires_at - EARLY_MS ? tokens : await signIn.refresh(tokens),

    async logoutLink(tokens, { post_logout_redirect_uri, state } = {}) {
      const { end_session_endpoint } = await issuer.metadata()
      const id_token_hint = tokens?.id_token
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

/** The code of an authorization response that belongs to this sign-in. */
function codeOf(query: URLSearchParams, login: Login, { issuer, names_itself }: Metadata): string {
  if (!isEqual(query.get('state') ?? '', login.state)) {
    throw failure('state_mismatch', 'This browser did not begin this sign-in.')
  }
  const iss = query.get('iss')
  if (iss === null ? names_itself : iss !== issuer) {
    throw failure('issuer_mismatch', 'The response is of another issuer.')
  }
  if (login.expires_at < Date.now()) {
    throw failure('login_expired', 'This sign-in began more than an hour ago.')
  }
  const error = query.get('error')
  if (error) {
    const details = { status: null, code: error, request_id: null }
    throw new SignInError(query.get('error_description') ?? `Sign-in ended: ${error}.`, details)
  }
  const code = query.get('code')
  if (!code) throw failure('invalid_response', 'The response has no code.')
  return code
}

function tokensOf(
  body: Record<string, unknown>,
  known: Pick<SignInTokens, 'sub' | 'id_token' | 'refresh_token' | 'scope'>,
): SignInTokens {
  const access_token = string(body.access_token)
  const is_bearer = string(body.token_type)?.toLowerCase() === 'bearer'
  if (access_token === null || !is_bearer) {
    throw failure('invalid_response', 'The response has no access token.')
  }
  const { sub, id_token } = known
  const expires_in = Number(body.expires_in) || 0
  return {
    sub,
    access_token,
    refresh_token: string(body.refresh_token) ?? known.refresh_token,
    id_token,
    scope: string(body.scope) ?? known.scope,
    expires_at: Date.now() + expires_in * 1000,
  }
}

/** A refusal of the token endpoint is an error of the sign-in; wrong credentials are the app's. */
function explain(error: unknown): never {
  if (error instanceof PurserError && error.constructor === PurserError) {
    const { status, code, request_id, message } = error
    if (status === 400) throw new SignInError(message, { status, code, request_id })
  }
  throw error
}

function failure(code: SignInCode, message: string, status: number | null = null): SignInError {
  return new SignInError(message, { status, code, request_id: null })
}

function withQuery(url: string, query: Record<string, string | undefined>): string {
  const link = new URL(url)
  for (const [name, value] of Object.entries(query)) {
    if (value !== undefined) link.searchParams.set(name, value)
  }
  return link.href
}

/** 256 random bits. */
function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}

async function challengeOf(verifier: string): Promise<string> {
  const digest = await crypto.subtle.digest('SHA-256', new TextEncoder().encode(verifier))
  return base64url(new Uint8Array(digest))
}

/** Compares in a time that does not depend on where the texts differ. */
function isEqual(one: string, other: string): boolean {
  let difference = one.length ^ other.length
  for (let at = 0; at < other.length; at++) difference |= one.charCodeAt(at) ^ other.charCodeAt(at)
  return difference === 0
}

/** True for a path of the same site; `//` and `/\` begin the address of another one. */
function isPath(text: string): boolean {
  return /^\/(?![/\\])[^\\]*$/.test(text) && URL.canParse(text, 'http://localhost')
}

function encode(login: Login): string {
  return base64url(new TextEncoder().encode(JSON.stringify(login)))
}

function decode(text: string | undefined): Login | null {
  try {
    const binary = atob((text ?? '').replaceAll('-', '+').replaceAll('_', '/'))
    const bytes = Uint8Array.from(binary, (each) => each.charCodeAt(0))
    const login: unknown = JSON.parse(new TextDecoder().decode(bytes))
    return isLogin(login) ? login : null
  } catch {
    return null
  }
}

function isLogin(value: unknown): value is Login {
  const { state, nonce, verifier, redirect_uri, return_to, expires_at } = Object(value)
  const texts = [state, nonce, verifier, redirect_uri, return_to]
  return (
    texts.every((each) => string(each) !== null) &&
    isPath(return_to) &&
    URL.canParse(redirect_uri) &&
    typeof expires_at === 'number'
  )
}
