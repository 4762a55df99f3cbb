/** Hosted sign-in of the double: codes, tokens and a real signature. */
import { credentialsOf, refuseCaller, refuseGrant } from './answers.ts'
import type { TestPerson } from './facts.ts'
import { ACCESS_SECONDS, createGrants, type Grant } from './grants.ts'
import { createSigner } from './signer.ts'
import { answerUser } from './user.ts'

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

/** The refusal of a form with an unknown grant, or without its parameters. */
function refusalOf(form: URLSearchParams): Response | undefined {
  const grant_type = form.get('grant_type')
  const required = REQUIRED.get(grant_type ?? '')
  if (grant_type && !required) {
    return refuseGrant('unsupported_grant_type', 'unsupported grant_type requested')
  }
  const missing = (required ?? ['grant_type']).filter((parameter) => !form.get(parameter))
  if (missing.length === 0) return undefined
  const named = missing.map((parameter) => `'${parameter}'`).join(' and ')
  const noun = `parameter${missing.length > 1 ? 's' : ''}`
  return refuseGrant('invalid_request', `missing required ${noun} ${named}`)
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
      return refuseCaller(
        `Basic realm="${name}"`,
        401,
        'invalid_client',
        'client authentication failed',
      )
    }
    const form = new URLSearchParams(await request.text())
    const refusal = refusalOf(form)
    if (refusal) return refusal
    const redeemed =
      form.get('grant_type') === 'authorization_code'
        ? await grants.redeem(form)
        : { grant: grants.rotate(form.get('refresh_token') ?? ''), nonce: null }
    if (!redeemed?.grant) return refuseGrant('invalid_grant', 'grant request is invalid')
    return await tokensOf(redeemed.grant, redeemed.nonce)
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
          return await answerUser(request, { name, grants })
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
