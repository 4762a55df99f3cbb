import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import type { World } from '#flows/world'
import { sessionOf } from './requests.ts'

/** What the sign-in library stores and finds, on our database: clients, and records by their kind. */
export function adapterOf(world: World): (name: string) => Adapter {
  return (name) => (name === 'Client' ? clientAdapter(world) : recordAdapter(world, kindOf(name)))
}

const KINDS: readonly string[] = [
  'Session',
  'Interaction',
  'Grant',
  'AuthorizationCode',
  'AccessToken',
  'RefreshToken',
]

function kindOf(name: string): grants.RecordKind {
  if (!KINDS.includes(name)) throw new Error(`hosted sign-in keeps no ${name}`)
  return name as grants.RecordKind
}

function recordAdapter(world: World, kind: grants.RecordKind): Adapter {
  const { db, clock } = world
  return {
    ...NOTHING,
    async upsert(name, payload, life) {
      if (await isOfNobody(world, kind, payload)) return
      const facts = factsOf(kind, payload, life)
      const kept = await grants.keepRecord(db, clock.now(), { kind, name }, facts)
      if (!kept) throw new errors.InvalidGrant('the grant was revoked')
    },
    async find(name) {
      const found = await grants.findRecord(db, clock.now(), { kind, name })
      return found && { ...payloadOf(kind, found), jti: name }
    },
    async findByUid(uid) {
      const found = await grants.findSessionByUid(db, clock.now(), uid)
      return found && payloadOf(kind, found)
    },
    async consume(name) {
      const now = clock.now()
      const isGood =
        kind === 'RefreshToken'
          ? await grants.useRefreshToken(db, now, name)
          : await grants.consumeRecord(db, now, { kind, name })
      if (!isGood) throw new errors.InvalidGrant('it was already used')
    },
    async destroy(name) {
      await grants.dropRecord(db, { kind, name })
    },
    async revokeByGrantId(name) {
      await grants.dropRecord(db, { kind: 'Grant', name })
    },
  }
}

/**
 * Whether a record belongs to a browser in which nobody is signed in. It is not kept, or anybody
 * could fill the database; what the app asked for is carried by the browser instead (provider.ts).
 */
async function isOfNobody(
  world: World,
  kind: grants.RecordKind,
  { accountId }: AdapterPayload,
): Promise<boolean> {
  if (kind === 'Session') return accountId === undefined
  const { ctx } = Provider
  return kind === 'Interaction' && ctx !== undefined && !(await sessionOf(world, ctx))
}

/** What is stored of a payload: nothing that opens anything by itself. */
function factsOf(kind: grants.RecordKind, payload: AdapterPayload, life = 0): grants.RecordFacts {
  const { jti: _name, returnTo: _address, session, ...rest } = payload
  const { cookie: _cookie, ...bound } = session ?? {}
  return {
    payload: session ? { ...rest, session: bound } : rest,
    // An interaction knows of a grant as well, but outlives it: the person may agree to a new one.
    grant: kind === 'Interaction' ? undefined : payload.grantId,
    session_uid: payload.sessionUid ?? payload.uid,
    sid: payload.sid as string | undefined,
    parent: kind === 'RefreshToken' ? rotatedToken() : undefined,
    client_id: payload.clientId,
    user_id: payload.accountId,
    scope: payload.scope,
    audience: Array.isArray(payload.aud) ? payload.aud.join(' ') : payload.aud,
    life,
  }
}

/** The refresh token for which the library gives another in the request that it answers now. */
function rotatedToken(): string | undefined {
  return Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti
}

function payloadOf(kind: grants.RecordKind, found: grants.FoundRecord): AdapterPayload {
  const { payload, expires_at, consumed_at } = found
  // What was given under a grant made it last longer than the library wrote down.
  if (kind === 'Grant') return { ...payload, exp: expires_at.getTime() / 1000 }
  // Whether a refresh token may be used again is decided when it is, under a lock.
  if (kind === 'RefreshToken' || !consumed_at) return payload
  return { ...payload, consumed: consumed_at.getTime() / 1000 }
}

function clientAdapter({ db }: World): Adapter {
  return {
    ...NOTHING,
    async find(client_id) {
      if (client_id === grants.AGENT_CLIENT) return AGENTS
      // The library takes any text here, and PostgreSQL stores no NUL.
      const known = CLIENT_ID.test(client_id)
        ? await apps.findSignInClient(db, client_id)
        : undefined
      // As long as it takes for a client that exists.
      if (!known) apps.hasSecret(undefined, client_id)
      if (!known?.secret_hash) return undefined
      return metadataOf(known, known.secret_hash)
    },
  }
}

/** Stands in for an empty list, which the library refuses: nobody signs in, refreshes go on. */
export const NOWHERE = 'https://nowhere.invalid/'

const CLIENT_ID = /^[\w.-]{1,64}$/

function metadataOf(client: apps.SignInClient, secret_hash: Buffer): AdapterPayload {
  const sector = client.app_id ?? client.client_id
  return {
    client_id: client.client_id,
    // The library compares it by our own rule (see provider.ts), which expects the digest.
    client_secret: secret_hash.toString('base64url'),
    redirect_uris: client.redirect_uris.length > 0 ? client.redirect_uris : [NOWHERE],
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: grants.DEFAULT_SCOPES.join(' '),
    // Named, so that an app may return to several hosts; the library does not look there.
    sector_identifier_uri: `https://sector.invalid/${sector}`,
    subject_type: 'pairwise',
    // What our own pages and the private id need to know of the client.
    sector,
    app_id: client.app_id,
    app_name: client.app_name ?? client.client_id,
    app_url: client.app_url,
  }
}

/** The client of all agents; `redirectUriAllowed` in provider.ts says where they may wait. */
const AGENTS: AdapterPayload = {
  client_id: grants.AGENT_CLIENT,
  token_endpoint_auth_method: 'none',
  application_type: 'native',
  redirect_uris: ['http://127.0.0.1/'],
  response_types: ['code'],
  grant_types: ['authorization_code', 'refresh_token'],
  sector_identifier_uri: `https://sector.invalid/${grants.AGENT_CLIENT}`,
  subject_type: 'pairwise',
  sector: grants.AGENT_CLIENT,
  app_id: null,
}

/** Clients are written by their own room, and nobody asks for a device's code. */
const NOTHING: Adapter = {
  async upsert() {},
  async find() {},
  async findByUserCode() {},
  async findByUid() {},
  async consume() {},
  async destroy() {},
  async revokeByGrantId() {},
}
