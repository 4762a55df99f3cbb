/** Hosted sign-in of the double: codes, tokens and a real signature. */
import { credentialsOf, json, refuseGrant } from './answers.ts'
import type { TestPerson } from './facts.ts'
import { ACCESS_SECONDS, createGrants, type Grant } from './grants.ts'
import { createSigner } from './signer.ts'

export type TestIssuer = {
  /** The signed-in person of a valid access token. */
  grantOf(access_token: string): Grant | undefined
  /** Tokens outside of a sign-in. */
  issue(person: TestPerson, scope: string): { access_token: string; refresh_token: string }
  /** The address that the browser returns to when the person agrees, or with an error. */
  authorize(url: string, person: TestPerson | null, error: string): string
  revoke(person: TestPerson): void
  /** A signed lease. */
  signLease(claims: object, seconds: number): Promise<string>
  /** Answers a request under `/o/`. */
  answer(request: Request): Promise<Response | null>
}

/** The parameters of each grant. */
const REQUIRED = new Map([
  ['authorization_code', ['code', 'redirect_uri']],
  ['refresh_token', ['refresh_token']],
])

function missingText(parameters: string[]): string {
  const named = parameters.map((parameter) => `'${parameter}'`).join(' and ')
  return `missing required parameter${parameters.length > 1 ? 's' : ''} ${named}`
}

/** Opens an issuer for one app. */
export function createTestIssuer(
  app: { base_url: string; client_id: string; client_secret: string },
  now: () => number,
): TestIssuer {
  const name = `${app.base_url}/o`
  const grants = createGrants(now)
  const signer = createSigner()

  async function tokensOf(grant: Grant, nonce: string | null): Promise<Response> {
    const { person, scope } = grant
    const claims = { iss: name, aud: app.client_id, sub: person.sub, ...(nonce && { nonce }) }
    const id_token = await signer.sign(claims, ACCESS_SECONDS)
    const lasting = { token_type: 'Bearer', expires_in: ACCESS_SECONDS, scope, id_token }
    return Response.json({ ...lasting, ...grants.issue(grant) })
  }

  async function answerToken(request: Request): Promise<Response> {
    const credentials = credentialsOf(request)
    if (credentials?.id !== app.client_id || credentials.secret !== app.client_secret) {
      return challenged('Basic', 401, 'invalid_client', 'client authentication failed')
    }
    const form = new URLSearchParams(await request.text())
    const grant_type = form.get('grant_type')
    const required = REQUIRED.get(grant_type ?? '')
    if (grant_type && !required) {
      return refuseGrant('unsupported_grant_type', 'unsupported grant_type requested')
    }
    const missing = (required ?? ['grant_type']).filter((parameter) => !form.get(parameter))
    if (missing.length > 0) return refuseGrant('invalid_request', missingText(missing))
    const redeemed =
      grant_type === 'authorization_code'
        ? await grants.redeem(form)
        : { grant: grants.rotate(form.get('refresh_token') ?? ''), nonce: null }
    if (!redeemed?.grant) return refuseGrant('invalid_grant', 'grant request is invalid')
    return await tokensOf(redeemed.grant, redeemed.nonce)
  }

  /** A refusal that names what to authenticate with (RFC 6750, section 3). */
  function challenged(
    scheme: 'Basic' | 'Bearer',
    status: number,
    error: string,
    text: string,
    more = '',
  ): Response {
    const reason = `, error="${error}", error_description="${text}"${more}`
    const challenge = `${scheme} realm="${name}"${reason}`
    return refuseGrant(error, text, { status, headers: { 'www-authenticate': challenge } })
  }

  async function answerUser(request: Request): Promise<Response> {
    const [, bearer] = /^Bearer +(.+)$/i.exec(request.headers.get('authorization') ?? '') ?? []
    const form = new URLSearchParams(request.method === 'POST' ? await request.text() : '')
    const token = bearer ?? form.get('access_token')
    if (!token) {
      const headers = { 'www-authenticate': `Bearer realm="${name}"` }
      return refuseGrant('invalid_token', 'no access token provided', { status: 401, headers })
    }
    const grant = grants.of(token)
    if (!grant) return challenged('Bearer', 401, 'invalid_token', 'invalid token provided')
    if (!grant.scope.split(' ').includes('openid')) {
      const text = 'access token missing openid scope'
      return challenged('Bearer', 403, 'insufficient_scope', text, ', scope="openid"')
    }
    return json({ sub: grant.person.sub })
  }

  return {
    grantOf: grants.of,
    issue: (person, scope) => grants.issue(grants.open(person, scope)),
    revoke: grants.revoke,
    signLease: (claims, seconds) => signer.sign(claims, seconds, 'license-lease+jwt'),

    authorize(url, person, error) {
      const request = new URL(url).searchParams
      const back = new URL(request.get('redirect_uri') ?? '')
      const outcome = person
        ? { code: grants.codeFor(grants.open(person, request.get('scope') ?? ''), request) }
        : { error }
      const query = { ...outcome, state: request.get('state') ?? '', iss: name }
      for (const [key, value] of Object.entries(query)) back.searchParams.set(key, value)
      return back.href
    },

    async answer(request) {
      switch (new URL(request.url).pathname) {
        case '/o/.well-known/openid-configuration':
          return Response.json(metadataOf(name))
        case '/o/jwks':
          return Response.json({ keys: [await signer.publicKey()] })
        case '/o/token':
          return await answerToken(request)
        case '/o/me':
          return await answerUser(request)
        default:
          return null
      }
    },
  }
}

function metadataOf(issuer: string) {
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    jwks_uri: `${issuer}/jwks`,
    end_session_endpoint: `${issuer}/session/end`,
    userinfo_endpoint: `${issuer}/me`,
    scopes_supported: ['openid', 'entitlements'],
    id_token_signing_alg_values_supported: ['RS256'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}
