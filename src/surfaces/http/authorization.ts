import type { ServedRequest } from '#platform/served-request'

/** The client ID and secret of an HTTP Basic header. */
export interface Credentials {
  client_id: string
  client_secret: string
}

/** Of what follows the scheme in the header. Longer ones are none of the service's. */
const MAX_LENGTH = 1024

const read = new WeakMap<ServedRequest, Credentials | undefined>()

/** Reads the header once per request: the rate limit needs it before the endpoint does. */
export function credentialsOf(request: ServedRequest): Credentials | undefined {
  if (read.has(request)) return read.get(request)
  const credentials = readBasic(request.headers.authorization)
  read.set(request, credentials)
  return credentials
}

function readBasic(header: string | undefined): Credentials | undefined {
  const encoded = /^basic +([a-z0-9+/=_-]+)$/i.exec(header ?? '')?.[1]
  if (!encoded || encoded.length > MAX_LENGTH) return undefined
  const text = Buffer.from(encoded, 'base64').toString('utf8')
  const colon = text.indexOf(':')
  // PostgreSQL cannot store a NUL and would fail.
  if (colon < 1 || text.includes('\0')) return undefined
  return { client_id: text.slice(0, colon), client_secret: text.slice(colon + 1) }
}

/** The bearer token of a request, from its header only (RFC 6750). */
export function bearerToken(request: ServedRequest): string | undefined {
  const token = /^bearer +([\w.~+/=-]+)$/i.exec(request.headers.authorization ?? '')?.[1]
  return token && token.length <= MAX_LENGTH ? token : undefined
}

/** Whether a request sent a bearer token at all, even one that cannot be read. */
export function sendsBearerToken({ headers }: ServedRequest): boolean {
  return /^bearer +\S/i.test(headers.authorization ?? '')
}

/**
 * The challenge of a refused bearer token (RFC 6750), with its parameters in order. Those without a
 * value are left out: a call without a token gets no error code.
 */
export function bearerChallenge(
  parameters: Record<string, string | undefined>,
): Record<string, string> {
  const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
  const text = given.map(([name, value]) => `${name}="${value}"`).join(', ')
  return { 'www-authenticate': `Bearer ${text}` }
}
