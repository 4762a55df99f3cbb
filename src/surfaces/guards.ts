import type { FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import type { LimitKey } from '#platform/limits'
import { type Network, networksOf, networksWith } from '#platform/networks'
import { sha256 } from '#platform/secrets'
import { refuse } from '#surfaces/refusals'

/** What a caller says of itself in an HTTP Basic header. */
export interface Credentials {
  client_id: string
  client_secret: string
}

const LONGEST_TOKEN = 1024
const CHALLENGE = { 'www-authenticate': 'Basic realm="licenses", charset="UTF-8"' }

/** The client id and secret of a call (spec: Authentication); refuses with `invalid_client`. */
export function basicCredentials(request: FastifyRequest): Credentials {
  const credentials = credentialsOf(request)
  if (!credentials) throw refuse('invalid_client', { headers: CHALLENGE })
  return credentials
}

/** Refuses a client that does not exist, has another secret, or belongs to no app. */
export function provenApp(client: apps.Client | undefined, credentials: Credentials): string {
  const isProven = apps.hasSecret(client, credentials.client_secret)
  if (!isProven || !client?.app_id) throw refuse('invalid_client', { headers: CHALLENGE })
  return client.app_id
}

const read = new WeakMap<FastifyRequest, Credentials | undefined>()

/** Reads the header once: the limit asks for the client id before the endpoint asks for both. */
export function credentialsOf(request: FastifyRequest): Credentials | undefined {
  if (read.has(request)) return read.get(request)
  const credentials = readBasic(request.headers.authorization)
  read.set(request, credentials)
  return credentials
}

function readBasic(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([a-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1]
  if (!encoded || encoded.length > 1024) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  // A NUL is no character of an id, and the database would refuse it with an error of its own.
  if (colon < 1 || text.includes('\0')) return undefined
  return { client_id: text.slice(0, colon), client_secret: text.slice(colon + 1) }
}

/** The access token of a call, if it carries one (RFC 6750, in the header alone). */
export function bearerToken(request: FastifyRequest): string | undefined {
  const token = /^bearer +([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return token && token.length <= LONGEST_TOKEN ? token : undefined
}

/** Counts a call by its access token, of which only a digest is kept; without one by network. */
export function byToken(request: FastifyRequest): LimitKey {
  const token = bearerToken(request)
  return token ? sha256(token).toString('base64url') : networksOf(request.ip)
}

/** Counts a call by the caller's network. */
export function byIp(request: FastifyRequest): Network[] {
  return networksOf(request.ip)
}

/** Counts a call by the caller's network and the client id it names (spec: Limits). */
export function byIpAndClient(request: FastifyRequest): Network[] {
  const client_id = credentialsOf(request)?.client_id ?? ''
  return networksWith(request.ip, client_id.slice(0, 64))
}
