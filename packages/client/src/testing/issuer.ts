/** Hosted sign-in of the double: codes, tokens and a real signature. */
import { base64url } from '../id-token.ts'
import { credentialsOf, refuseGrant } from './answers.ts'
import type { Facts, TestPerson } from './facts.ts'

/** A sign-in of a person, with all tokens that came of it. */
type Grant = { person: TestPerson; scope: string; revoked: boolean }

type Code = { grant: Grant; request: URLSearchParams; expires_at: number; used: boolean }
type Access = { grant: Grant; expires_at: number }
type Refresh = { grant: Grant; replaced_at: number | null }

export type TestIssuer = {
  /** The signed-in person of a valid access token. */
  grantOf(access_token: string): Grant | undefined
  /** Tokens outside of a sign-in. */
  issue(person: TestPerson, scope: string): { access_token: string; refresh_token: string }
  /** The address that the browser returns to when the person agrees, or with an error. */
  authorize(url: string, person: TestPerson | null, error: string): string
  revoke(person: TestPerson): void
  /** Answers a request under `/o/`. */
  answer(request: Request): Promise<Response | null>
}

const ACCESS_SECONDS = 3600
const CODE_MS = 60_000
/** How long the predecessor of a refresh token is accepted. */
const OVERLAP_MS = 30_000

/** Opens an issuer for one app. */
export function createTestIssuer(
  app: { base_url: string; client_id: string; client_secret: string },
  { now }: Facts,
): TestIssuer {
  const name = `${app.base_url}/o`
  const codes = new Map<string, Code>()
  const access = new Map<string, Access>()
  const refresh = new Map<string, Refresh>()
  const grants: Grant[] = []
  const signer = createSigner()

  function issueFor(grant: Grant) {
    const access_token = random()
    const refresh_token = random()
    access.set(access_token, { grant, expires_at: now() + ACCESS_SECONDS * 1000 })
    refresh.set(refresh_token, { grant, replaced_at: null })
    return { access_token, refresh_token }
  }

  async function respond(grant: Grant, nonce: string | null): Promise<Response> {
    const { person, scope } = grant
    const claims = { iss: name, aud: app.client_id, sub: person.sub, ...(nonce && { nonce }) }
    const id_token = await signer.sign(claims, ACCESS_SECONDS)
    const lasting = { token_type: 'Bearer', expires_in: ACCESS_SECONDS, scope, id_token }
    return Response.json({ ...lasting, ...issueFor(grant) })
  }

  async function exchange(form: URLSearchParams): Promise<Response> {
    const code = codes.get(form.get('code') ?? '')
    const { request } = code ?? {}
    const verifier = new TextEncoder().encode(form.get('code_verifier') ?? '')
    const digest = new Uint8Array(await crypto.subtle.digest('SHA-256', verifier))
    if (code?.used) code.grant.revoked = true
    const isGood =
      code !== undefined &&
      !code.used &&
      now() < code.expires_at &&
      base64url(digest) === request?.get('code_challenge') &&
      form.get('redirect_uri') === request.get('redirect_uri')
    if (!isGood) return refuseGrant('invalid_grant', 'grant request is invalid')
    code.used = true
    return await respond(code.grant, request?.get('nonce') ?? null)
  }

  async function renew(form: URLSearchParams): Promise<Response> {
    const token = refresh.get(form.get('refresh_token') ?? '')
    const isLate = token?.replaced_at != null && now() > token.replaced_at + OVERLAP_MS
    if (token && isLate) token.grant.revoked = true
    if (!token || token.grant.revoked) {
      return refuseGrant('invalid_grant', 'grant request is invalid')
    }
    token.replaced_at ??= now()
    return await respond(token.grant, null)
  }

  return {
    grantOf(access_token) {
      const found = access.get(access_token)
      const isValid = found && !found.grant.revoked && now() < found.expires_at
      return isValid ? found.grant : undefined
    },

    issue(person, scope) {
      const grant = { person, scope, revoked: false }
      grants.push(grant)
      return issueFor(grant)
    },

    authorize(url, person, error) {
      const request = new URL(url).searchParams
      const back = new URL(request.get('redirect_uri') ?? '')
      if (person) {
        const grant = { person, scope: request.get('scope') ?? '', revoked: false }
        grants.push(grant)
        const code = random()
        codes.set(code, { grant, request, expires_at: now() + CODE_MS, used: false })
        back.searchParams.set('code', code)
      } else {
        back.searchParams.set('error', error)
      }
      back.searchParams.set('state', request.get('state') ?? '')
      back.searchParams.set('iss', name)
      return back.href
    },

    revoke(person) {
      for (const grant of grants) if (grant.person === person) grant.revoked = true
    },

    async answer(request) {
      const { pathname } = new URL(request.url)
      if (pathname === '/o/.well-known/openid-configuration') return Response.json(metadataOf(name))
      if (pathname === '/o/jwks') return Response.json({ keys: [await signer.publicKey()] })
      if (pathname !== '/o/token') return null
      const credentials = credentialsOf(request)
      if (credentials?.id !== app.client_id || credentials.secret !== app.client_secret) {
        return refuseGrant('invalid_client', 'client authentication failed', 401)
      }
      const form = new URLSearchParams(await request.text())
      return form.get('grant_type') === 'refresh_token' ? renew(form) : exchange(form)
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

/** Signs ID tokens with a key that is generated when it is first needed. */
function createSigner() {
  const kid = random()
  let generated: Promise<CryptoKeyPair> | undefined
  const algorithm = {
    name: 'RSASSA-PKCS1-v1_5',
    hash: 'SHA-256',
    modulusLength: 2048,
    publicExponent: Uint8Array.of(1, 0, 1),
  }
  const pair = () => {
    generated ??= crypto.subtle.generateKey(algorithm, true, ['sign', 'verify'])
    return generated
  }
  const part = (value: object) => base64url(new TextEncoder().encode(JSON.stringify(value)))
  return {
    async publicKey(): Promise<object> {
      const jwk = await crypto.subtle.exportKey('jwk', (await pair()).publicKey)
      return { ...jwk, kid, use: 'sig', alg: 'RS256' }
    },
    async sign(claims: object, seconds: number): Promise<string> {
      // The client compares ID tokens with the clock of the machine.
      const iat = Math.floor(Date.now() / 1000)
      const head = part({ alg: 'RS256', typ: 'JWT', kid })
      const signed = `${head}.${part({ ...claims, iat, exp: iat + seconds })}`
      const { privateKey } = await pair()
      const bytes = new TextEncoder().encode(signed)
      const signature = await crypto.subtle.sign(algorithm.name, privateKey, bytes)
      return `${signed}.${base64url(new Uint8Array(signature))}`
    },
  }
}

function random(): string {
  return base64url(crypto.getRandomValues(new Uint8Array(32)))
}
