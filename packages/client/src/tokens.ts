/** The token endpoint: a code or a refresh token becomes tokens (spec: OpenID Connect). */
import { basic } from './client.ts'
import { PurserError, SignInError } from './errors.ts'
import { verifyIdToken } from './id-token.ts'
import type { Issuer } from './issuer.ts'
import { failure, type Login } from './login.ts'
import { type Answer, string } from './transport.ts'

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

export type Tokens = {
  /** Exchanges a code, once. */
  exchange(code: string, login: Login): Promise<SignInTokens>
  /** Refreshes tokens. The service accepts a repetition whose response was lost. */
  renew(tokens: SignInTokens): Promise<SignInTokens>
}

/** The token endpoint of an issuer, with the credentials of an app. */
export function createTokens(
  { client_id, client_secret }: { client_id: string; client_secret: string },
  issuer: Issuer,
): Tokens {
  const authorization = basic(client_id, client_secret)

  async function request(form: Record<string, string>, repeatable: boolean): Promise<Answer> {
    const { token_endpoint: url } = await issuer.metadata()
    const body = new URLSearchParams(form)
    const headers = { authorization }
    return await issuer.send({ method: 'POST', url, headers, body, repeatable }).catch(explain)
  }

  const check = (id_token: string, nonce: string | null) =>
    verifyIdToken(id_token, { issuer: issuer.name, client_id, nonce }, issuer.keys)

  return {
    async exchange(code, { redirect_uri, verifier: code_verifier, nonce }) {
      const form = { grant_type: 'authorization_code', code, redirect_uri, code_verifier }
      const { body } = await request(form, false)
      const id_token = string(body.id_token)
      if (id_token === null) throw failure('invalid_response', 'The response has no ID token.')
      const { sub } = await check(id_token, nonce)
      return tokensOf(body, { sub, id_token, refresh_token: null, scope: '' })
    },

    async renew(tokens) {
      const { refresh_token } = tokens
      if (refresh_token === null) throw failure('invalid_grant', 'There is no refresh token.')
      const { body } = await request({ grant_type: 'refresh_token', refresh_token }, true)
      const id_token = string(body.id_token)
      if (id_token !== null && (await check(id_token, null)).sub !== tokens.sub) {
        throw failure('invalid_id_token', 'The ID token is for another person.')
      }
      return tokensOf(body, { ...tokens, ...(id_token !== null && { id_token }) })
    },
  }
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
