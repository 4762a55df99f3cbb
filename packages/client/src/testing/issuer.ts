/** Hosted sign-in of the double: codes, tokens and a real signature. */
import { refuseMethod } from './answers.ts'
import type { TestPerson } from './facts.ts'
import { createGrants, type Grant } from './grants.ts'
import { openToPage, preflightOf } from './pages.ts'
import { createSigner } from './signer.ts'
import { answerToken } from './token.ts'
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

/** The methods of each endpoint that pages may ask for. */
const METHODS = new Map([
  ['/o/.well-known/openid-configuration', ['GET']],
  ['/o/jwks', ['GET']],
  ['/o/token', ['POST']],
  ['/o/me', ['GET', 'POST']],
])

/** The refusal of a method that an endpoint does not have, or the answer to OPTIONS. */
function answerMethod(request: Request, methods: readonly string[]): Response | undefined {
  const { method, headers } = request
  const allowed = [...methods, ...(methods.includes('GET') ? ['HEAD'] : []), 'OPTIONS'].sort()
  if (!allowed.includes(method)) return refuseMethod(allowed)
  if (method !== 'OPTIONS') return undefined
  const isPreflight = headers.has('origin') && headers.has('access-control-request-method')
  if (isPreflight) return preflightOf(request, methods)
  return new Response(null, { status: 204, headers: { allow: allowed.join(', ') } })
}

/** Opens an issuer for one app. */
export function createTestIssuer(
  app: { base_url: string; client_id: string; client_secret: string },
  now: () => number,
): TestIssuer {
  const name = `${app.base_url}/o`
  const grants = createGrants(now)
  const signer = createSigner()

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
      const path = new URL(request.url).pathname.replace(/\/$/, '')
      const methods = METHODS.get(path)
      if (!methods) return null
      const other = answerMethod(request, methods)
      if (other) return other
      const response = await answerOrRefuse(path, request)
      // A page may read how to authenticate, where that is asked for.
      if (path === '/o/token' || path === '/o/me') {
        response.headers.set('access-control-expose-headers', 'WWW-Authenticate')
      }
      return response
    },
  }

  async function answerOrRefuse(path: string, request: Request): Promise<Response> {
    try {
      const response = await answerAt(path, request)
      openToPage(request, response)
      return response
    } catch (thrown) {
      if (thrown instanceof Response) return thrown
      throw thrown
    }
  }

  async function answerAt(path: string, request: Request): Promise<Response> {
    switch (path) {
      case '/o/.well-known/openid-configuration':
        return Response.json(metadataOf(name))
      case '/o/jwks':
        return Response.json({ keys: [await signer.publicKey()] })
      case '/o/token':
        return await answerToken(request, { app, name, grants, signer })
      default:
        return await answerUser(request, { app, name, grants })
    }
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
    token_endpoint_auth_methods_supported: ['client_secret_basic', 'client_secret_post'],
    code_challenge_methods_supported: ['S256'],
    authorization_response_iss_parameter_supported: true,
  }
}
