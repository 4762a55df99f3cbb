import type { EventEmitter } from 'node:events'
import { type Configuration, type JWKS, type KoaContextWithOIDC, Provider } from 'oidc-provider'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { carry } from '#http/app-request'
import { pageHeaders } from '#http/pages'
import { signInUrl } from '#http/redirect'
import { logBug } from '#platform/http'
import { parseId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { adapterOf, NO_REDIRECT_URI } from './adapter.ts'
import { isAgent, resourcesOf } from './agents.ts'
import { INTERACTION_COOKIE, RESUME_COOKIE, SIGN_IN_COOKIE } from './cookies.ts'
import { loadGrant } from './grant.ts'
import { appParamsOf, type Interaction, interactionPath } from './interaction.ts'
import { policyOf } from './policy.ts'
import { renderRefusal } from './refusal.ts'
import { jarOf, requestOf, sessionOf } from './requests.ts'
import { setRequestedLanguage } from './ui-locales.ts'

const OFF = { enabled: false }
const REDIRECTS_TO_APPS = { form_origins: ['https:', 'http:'] }
const COOKIE = { httpOnly: true, sameSite: 'lax', secure: true } as const

/** The sign-in library with these keys: only the code flow with PKCE. */
export function openProvider(world: World, keys: grants.Keys): Provider {
  const { config } = world
  const provider = new Provider(`${config.base_url}/o`, settings(world, keys))
  // One rule compares all secrets: against the hash, in constant time.
  provider.Client.prototype.compareClientSecret = function (secret: string) {
    const secret_hash = Buffer.from(this.clientSecret ?? '', 'base64url')
    return apps.hasSecret({ app_id: null, secret_hash }, secret)
  }
  const isListed = provider.Client.prototype.redirectUriAllowed
  provider.Client.prototype.redirectUriAllowed = function (uri) {
    if (isAgent(this)) return grants.isAgentCallback(uri)
    return uri !== NO_REDIRECT_URI && isListed.call(this, uri)
  }
  // ID tokens name the login, for a later sign-out by the app.
  provider.Client.prototype.includeSid = () => true
  // Codes are returned in the query. A request for anything but a code fails for that reason only.
  provider.Client.prototype.responseModeAllowed = (mode, type) =>
    mode === 'query' || type !== 'code'
  // Behind any proxy the service has one address, and its cookies are Secure even on localhost.
  const { protocol, host } = new URL(config.base_url)
  Object.defineProperties(provider.request, {
    protocol: { value: protocol.slice(0, -1) },
    host: { value: host },
    secure: { value: true },
  })
  provider.use(async (ctx, next) => {
    // The library's own pages are few, and may redirect to any app.
    if (/^\/(auth|session)\b/.test(ctx.path)) ctx.set(pageHeaders(REDIRECTS_TO_APPS))
    if (ctx.path === '/auth') setRequestedLanguage(world, ctx)
    await next()
    // Without a session, the library's cookies refer to nothing.
    if (/^\/signin\//.test(String(ctx.response.headers.location))) dropLibraryCookies(ctx)
    // Another account has signed in on this browser: the tokens of the previous one end.
    const ended = ctx.oidc?.session
    if (ended?.destroyed) await grants.endSession(world.db, ended.uid)
    // The library lists what it supports, not what its clients may use.
    if (isDocument(ctx.body)) ctx.body.response_modes_supported = ['query']
  })
  provider.on('server_error', logServerError)
  const emitter: EventEmitter = provider
  emitter.on('error', (error) => world.log.warn({ error }, 'hosted sign-in could not answer'))
  return provider
}

/** The path of the next page: consent, or sign-in with the app's request. */
async function nextPage(
  world: World,
  ctx: KoaContextWithOIDC,
  interaction: Interaction,
): Promise<string> {
  if (await sessionOf(world, ctx)) return interactionPath(interaction)
  const app_request = { params: appParamsOf(interaction.params), begun_at: world.clock.now() }
  return signInUrl(carry(world, requestOf(ctx.req), jarOf(ctx), app_request))
}

function dropLibraryCookies({ response }: Pick<KoaContextWithOIDC, 'response'>): void {
  const cookies = [response.headers['set-cookie'] ?? []].flat()
  response.remove('set-cookie')
  const own = cookies.filter((each) => each.startsWith('__Host-'))
  if (own.length > 0) response.set('set-cookie', own)
}

function isDocument(body: unknown): body is Record<string, unknown> {
  return typeof body === 'object' && body !== null && 'response_modes_supported' in body
}

function logServerError(ctx: KoaContextWithOIDC, error: Error): void {
  logBug(requestOf(ctx.req), error, new Problem(500, 'internal_error', error.message))
}

function settings(world: World, keys: grants.Keys): Configuration {
  const { LIFETIMES: LIFE } = grants
  const { config } = world
  const { published } = grants.orderKeys(world.clock.now(), keys.signing)
  return {
    adapter: adapterOf(world),
    jwks: { keys: published.map(({ jwk }) => jwk) } as unknown as JWKS,
    ...NARROWED,
    discovery: { ui_locales_supported: world.languages.all.map(({ language }) => language) },
    interactions: {
      policy: policyOf(world),
      url: (ctx, interaction) => nextPage(world, ctx, interaction),
    },
    loadExistingGrant: (ctx) => loadGrant(world, ctx),
    findAccount: async (_ctx, accountId) => {
      const user = await identity.findUser(world.db, parseId('usr', accountId))
      if (!user || user.locked_at) return undefined
      // For any scope, claims contain only the pairwise ID of the account.
      return { accountId, claims: () => ({ sub: accountId }) }
    },
    pairwiseIdentifier: (_ctx, accountId, client) =>
      grants.subjectOf(keys.subject, {
        sector: String(client.sector),
        user_id: parseId('usr', accountId),
      }),
    features: { ...FEATURES, resourceIndicators: resourcesOf(config) },
    renderError: (ctx, out, error) => renderRefusal(ctx, requestOf(ctx.req), out, error),
    ttl: {
      AccessToken: LIFE.access_token,
      AuthorizationCode: LIFE.code,
      Grant: LIFE.grant,
      IdToken: LIFE.id_token,
      Interaction: LIFE.interaction,
      RefreshToken: (_ctx, token) => grants.refreshLifetime(token.totalLifetime()),
      Session: LIFE.session,
    },
  }
}

/** Configuration that does not depend on the world; nearly every optional feature is off. */
const NARROWED: Configuration = {
  scopes: [...grants.DEFAULT_SCOPES],
  responseTypes: ['code'],
  subjectTypes: ['pairwise'],
  pkce: { required: () => true },
  // `none` is for agents; all other clients have a secret and must use it.
  clientAuthMethods: ['client_secret_basic', 'client_secret_post', 'none'],
  enabledJWA: { idTokenSigningAlgValues: ['RS256'] },
  extraClientMetadata: { properties: ['sector', 'app_id', 'app_name', 'app_url', 'app_icon'] },
  // URLs registered by clients are never fetched.
  sectorIdentifierUriValidate: () => false,
  fetch: () => Promise.reject(new Error('hosted sign-in makes no requests')),
  // Agents may run in a web page; an app's secret never reaches a browser.
  clientBasedCORS: (_ctx, _origin, client) => isAgent(client),
  allowOmittingSingleRegisteredRedirectUri: false,
  issueRefreshToken: async () => true,
  rotateRefreshToken: true,
  // The library's session knows one login per app, but there may be several: `flows/sign-out.ts`
  // decides what a sign-out ends.
  expiresWithSession: async () => false,
  cookies: {
    names: { session: SIGN_IN_COOKIE, interaction: INTERACTION_COOKIE, resume: RESUME_COOKIE },
    long: COOKIE,
    short: COOKIE,
  },
}

const FEATURES: Configuration['features'] = {
  devInteractions: OFF,
  dPoP: OFF,
  pushedAuthorizationRequests: OFF,
  revocation: {
    enabled: true,
    // A client learns nothing about another client's token (RFC 7009, 2.2).
    allowedPolicy: (_ctx, client, token) => token.clientId === client.clientId,
  },
  userinfo: { enabled: true },
  rpInitiatedLogout: { enabled: true },
}
