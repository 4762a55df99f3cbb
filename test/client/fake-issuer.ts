/** An issuer of hosted sign-in whose responses a test changes. */
import { exportJWK, generateKeyPair, type JWTPayload, SignJWT } from 'jose'
import { type FakeService, type Reply, refusal, startFakeService } from './fake-service.ts'

export const CLIENT_ID = 'app_driftlog'
export const CLIENT_SECRET = 'sVeryPrivate0123456789'

export type FakeIssuer = AsyncDisposable & {
  service: FakeService
  /** The `nonce` of the sign-in in progress. */
  nonce: string
  /** Replaces the response of a path. */
  replies: Record<string, Reply>
  /** What the ID token says beyond, or instead of, the truth. */
  claims: JWTPayload
  /** Changes the discovery document. */
  metadata: Record<string, unknown>
  /** Changes the response of the token endpoint. */
  tokens: Record<string, unknown>
  /** Signs with a new key, which it publishes unless `published` is false. */
  rotate(options?: { published?: boolean }): Promise<void>
  /** Replaces how ID tokens are signed. */
  sign: ((claims: JWTPayload) => Promise<string>) | undefined
}

export async function startFakeIssuer(): Promise<FakeIssuer> {
  let key = await newKey()
  let keys = [key.jwk]
  let answers = 0

  const service = await startFakeService(async ({ path }) => {
    const planned = issuer.replies[path]
    if (planned) return planned
    if (path === '/o/.well-known/openid-configuration') return { body: metadataOf(issuer) }
    if (path === '/o/jwks') return { body: { keys } }
    if (path !== '/o/token') return refusal(404, 'not_found')
    answers++
    const tokens = {
      token_type: 'Bearer',
      expires_in: 3600,
      access_token: `access-${answers}`,
      refresh_token: `refresh-${answers}`,
      scope: 'openid entitlements',
      id_token: await (issuer.sign ?? sign)({ ...truth(), ...issuer.claims }),
    }
    return { body: { ...tokens, ...issuer.tokens } }
  })

  function truth() {
    const now = Math.floor(Date.now() / 1000)
    const { nonce } = issuer
    const iss = `${service.url}/o`
    return { iss, aud: CLIENT_ID, sub: 'sub_of_robin', iat: now, exp: now + 3600, nonce }
  }

  function sign(claims: JWTPayload): Promise<string> {
    return new SignJWT(claims).setProtectedHeader({ alg: 'RS256', kid: key.kid }).sign(key.secret)
  }

  const issuer: FakeIssuer = {
    service,
    nonce: '',
    replies: {},
    claims: {},
    metadata: {},
    tokens: {},
    sign: undefined,
    async rotate({ published = true } = {}) {
      key = await newKey()
      if (published) keys = [...keys, key.jwk]
    },
    [Symbol.asyncDispose]: () => service[Symbol.asyncDispose](),
  }
  return issuer
}

function metadataOf({ metadata, service }: FakeIssuer) {
  const issuer = `${service.url}/o`
  return {
    issuer,
    authorization_endpoint: `${issuer}/auth`,
    token_endpoint: `${issuer}/token`,
    end_session_endpoint: `${issuer}/session/end`,
    jwks_uri: `${issuer}/jwks`,
    authorization_response_iss_parameter_supported: true,
    ...metadata,
  }
}

let keys_made = 0

async function newKey() {
  const { privateKey, publicKey } = await generateKeyPair('RS256')
  const kid = `key-${++keys_made}`
  const jwk = { ...(await exportJWK(publicKey)), kid, alg: 'RS256', use: 'sig' }
  return { kid, jwk, secret: privateKey }
}
