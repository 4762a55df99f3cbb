import { type Adapter, type AdapterPayload, errors, Provider } from 'oidc-provider'
import * as apps from '#domain/apps'
import * as grants from '#domain/grants'
import * as identity from '#domain/identity'
import type { World } from '#flows/world'
import { parseId } from '#platform/ids'
import { sessionOf } from './requests.ts'

/** The storage of the sign-in library, for the session of the request that it is handling. */
export function adapterOf(world: World): (name: string) => Adapter {
  return (name) => {
    const storage = storageOf(world, name)
    return {
      ...storage,
      async upsert(id, payload, life) {
        if (await isAnonymous(world, name, payload)) return
        await storage.upsert(id, payload, life)
        if (name === 'AuthorizationCode') await requireSignedIn(world, payload)
      },
    }
  }
}

/** The library's clients, or its records of one kind, in our database. */
export function storageOf(world: World, name: string): Adapter {
  return name === 'Client' ? clientAdapter(world) : recordAdapter(world, kindOf(name))
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
    ...READ_ONLY,
    async upsert(name, payload, life) {
      const facts = factsOf(kind, payload, life)
      const is_saved = await grants.saveRecord(db, clock.now(), { kind, name }, facts)
      if (!is_saved) throw new errors.InvalidGrant('the grant was revoked')
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
      await grants.deleteRecord(db, { kind, name })
    },
    async revokeByGrantId(name) {
      await grants.deleteRecord(db, { kind: 'Grant', name })
    },
  }
}

/**
 * Whether a record belongs to a browser without a signed-in person. Such records are not stored,
 * because anyone could fill the database with them; the browser carries the app's request instead
 * (provider.ts).
 */
async function isAnonymous(
  world: World,
  name: string,
  { accountId }: AdapterPayload,
): Promise<boolean> {
  if (name === 'Session') return accountId === undefined
  const { ctx } = Provider
  return name === 'Interaction' && ctx !== undefined && !(await sessionOf(world, ctx))
}

/**
 * Throws `login_required`, and revokes the grant of a code that was just stored, if the session in
 * which it was issued ended since the request was authorized. This waits for a sign-out that is
 * being recorded; a later one finds the code, as every sign-out ends the session first.
 */
async function requireSignedIn(world: World, { grantId }: AdapterPayload): Promise<void> {
  const { ctx } = Provider
  const session = ctx && (await sessionOf(world, ctx))
  const { db } = world
  const isSignedIn =
    session !== undefined &&
    (await db.tx((tx) => {
      return identity.keepsSession(tx, { user_id: session.user_id, session_id: session.id })
    }))
  if (isSignedIn) return
  await grants.deleteRecord(db, { kind: 'Grant', name: String(grantId) })
  throw new errors.LoginRequired('the person signed out')
}

/** The stored facts of a payload; none of them is usable as a credential. */
function factsOf(kind: grants.RecordKind, payload: AdapterPayload, life = 0): grants.RecordFacts {
  const { jti: _name, returnTo: _address, session, ...rest } = payload
  const { cookie: _cookie, ...bound } = session ?? {}
  return {
    payload: session ? { ...rest, session: bound } : rest,
    // An interaction names a grant too, but outlives it: the person may consent again.
    grant: kind === 'Interaction' ? undefined : payload.grantId,
    session_uid: payload.sessionUid ?? payload.uid,
    sid: payload.sid as string | undefined,
    parent: kind === 'RefreshToken' ? rotatedToken() : undefined,
    client_id: payload.clientId,
    user_id: payload.accountId === undefined ? undefined : parseId('usr', payload.accountId),
    scope: payload.scope,
    audience: Array.isArray(payload.aud) ? payload.aud.join(' ') : payload.aud,
    life,
  }
}

/** The refresh token that the current request of the library rotates. */
function rotatedToken(): string | undefined {
  return Provider.ctx?.oidc.entities.RotatedRefreshToken?.jti
}

function payloadOf(kind: grants.RecordKind, found: grants.FoundRecord): AdapterPayload {
  const { payload, expires_at, consumed_at } = found
  // Tokens extend a grant beyond the expiry that the library stored.
  if (kind === 'Grant') return { ...payload, exp: expires_at.getTime() / 1000 }
  // Whether a refresh token may be reused is decided on use, under a lock.
  if (kind === 'RefreshToken' || !consumed_at) return payload
  return { ...payload, consumed: consumed_at.getTime() / 1000 }
}

function clientAdapter({ db }: World): Adapter {
  return {
    ...READ_ONLY,
    async find(client_id) {
      if (client_id === grants.AGENT_CLIENT) return AGENTS
      // The library accepts any text here, but PostgreSQL cannot store a NUL.
      const known = CLIENT_ID.test(client_id)
        ? await apps.findSignInClient(db, client_id)
        : undefined
      // Takes as long as for a client that exists.
      if (!known) apps.hasSecret(undefined, client_id)
      if (!known?.secret_hash) return undefined
      return metadataOf(known, known.secret_hash)
    },
  }
}

/**
 * Placeholder for an empty list, which the library rejects: no one can sign in, but refreshes
 * continue.
 */
export const NO_REDIRECT_URI = 'https://nowhere.invalid/'

const CLIENT_ID = /^[\w.-]{1,64}$/

function metadataOf(client: apps.SignInClient, secret_hash: Buffer): AdapterPayload {
  const sector = client.app_id ?? client.client_id
  return {
    client_id: client.client_id,
    // The library compares it by our own rule (see provider.ts), which expects the hash.
    client_secret: secret_hash.toString('base64url'),
    redirect_uris: client.redirect_uris.length > 0 ? client.redirect_uris : [NO_REDIRECT_URI],
    post_logout_redirect_uris: client.post_logout_redirect_uris,
    response_types: ['code'],
    grant_types: ['authorization_code', 'refresh_token'],
    scope: grants.DEFAULT_SCOPES.join(' '),
    // Set so that an app may use several hosts; the library never fetches it.
    sector_identifier_uri: `https://sector.invalid/${sector}`,
    subject_type: 'pairwise',
    // What our own pages and pairwise IDs need to know about the client.
    sector,
    app_id: client.app_id,
    app_name: client.app_name ?? client.client_id,
    app_url: client.app_url,
    app_icon: apps.iconPath(client),
  }
}

/**
 * The client that all agents share; `redirectUriAllowed` in provider.ts checks their redirect URLs.
 */
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

/** The library writes no clients, and device codes are turned off. */
const READ_ONLY: Adapter = {
  async upsert() {},
  async find() {},
  async findByUserCode() {},
  async findByUid() {},
  async consume() {},
  async destroy() {},
  async revokeByGrantId() {},
}
