import type { FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import { type Entrant, enter, type KnownDevice } from '#flows/sign-in'
import { signOutOfService } from '#flows/sign-out'
import type { World } from '#flows/world'
import { Problem } from '#platform/problem'
import { mintSecret, sameDigest, sha256 } from '#platform/secrets'
import { deviceOf, originOf } from '#surfaces/device'
import { readSigned, signed } from '#surfaces/signed'

/** Cookies of this host alone, that no script and no other site can use. */
const COOKIE = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const
const BROWSER = '__Host-browser'
const SESSION = '__Host-session'
const PENDING = '__Host-pending'
const YEAR_SECONDS = 365 * 86_400
const SESSION_SECONDS = 30 * 86_400

/** What a new cookie is given to: an answer, in whichever server's hands it is. */
export interface CookieJar {
  setCookie(name: string, value: string, options: typeof COOKIE & { maxAge: number }): unknown
}

/** The handle of this browser, made on its first visit: carts and form tokens are bound to it. */
export function browserId({ random }: World, request: FastifyRequest, jar: CookieJar): string {
  const known = knownBrowser(request)
  if (known) return known
  const made = mintSecret(random)
  request.cookies[BROWSER] = made
  jar.setCookie(BROWSER, made, { ...COOKIE, maxAge: YEAR_SECONDS })
  return made
}

function knownBrowser(request: FastifyRequest): string | undefined {
  const known = request.cookies[BROWSER]
  return known && /^[\w-]{43}$/.test(known) ? known : undefined
}

/** The digest under which a cart remembers its browser. */
export function browserHash(world: World, request: FastifyRequest, reply: FastifyReply): Buffer {
  return sha256(browserId(world, request, reply))
}

/** The token that this browser's forms carry. */
export function csrfToken(world: World, request: FastifyRequest, reply: FastifyReply): string {
  return formToken(world, browserId(world, request, reply), request.cookies[SESSION])
}

function formToken({ keys }: World, browser: string, session = ''): string {
  return keys.hmac('form-token', `${browser} ${session}`).toString('base64url')
}

/** Refuses a posted form that this site did not draw for this very browser and session. */
export function assertOwnForm(world: World, request: FastifyRequest): void {
  const body = request.body as Record<string, string> | undefined
  const given = sha256(body?.csrf_token ?? '')
  // Never a new handle here: the form of another site comes without cookies, and would replace it.
  const browser = knownBrowser(request)
  // A tab that was drawn before this browser signed in, in another tab, is its own as well.
  const isOurs = (session?: string) =>
    browser !== undefined && sameDigest(given, sha256(formToken(world, browser, session)))
  if (isForeign(world, request) || !(isOurs(request.cookies[SESSION]) || isOurs())) {
    throw new Problem(
      403,
      'stale_form',
      'This form is no longer valid. Go back, reload the page and try again.',
    )
  }
}

function isForeign({ config }: World, request: FastifyRequest): boolean {
  const site = request.headers['sec-fetch-site']
  if (site !== undefined && site !== 'same-origin' && site !== 'none') return true
  const { origin, host } = request.headers
  if (origin === undefined) return false
  return origin !== config.base_url && URL.parse(origin)?.host !== host
}

/** The live session of this browser; one that owes a second factor is none. */
export async function currentSession(
  { db, clock }: World,
  request: FastifyRequest,
): Promise<identity.Session | undefined> {
  const token = request.cookies[SESSION]
  const now = clock.now()
  const session = token ? await identity.findSession(db, now, token) : undefined
  if (session) {
    request.account_id = session.user_id
    await identity.noteSeen(db, now, session)
  }
  return session
}

/** The secret of a sign-in in this browser that owes the second factor. */
export function pendingToken(request: FastifyRequest): string {
  return request.cookies[PENDING] ?? ''
}

/** The address where a second factor is asked for. */
export const SECOND_FACTOR = '/signin/second-factor'

/**
 * Lets somebody in who proved to be an account's owner, and returns the address to go on to: where
 * the account has a second factor, the page that asks for it, and there is no session before.
 */
export async function letIn(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  entrant: Entrant,
): Promise<string> {
  const { kind, token } = await enter(world, entrant, {
    device: deviceOf(request),
    origin: originOf(request),
  })
  if (kind === 'session') {
    await keepSession(world, request, reply, token)
    if (entrant.app_id === null) rememberDevice(world, reply, entrant.user_id)
    return entrant.return_to ?? '/account/'
  }
  reply.setCookie(PENDING, token, { ...COOKIE, maxAge: identity.PENDING_SECONDS })
  return SECOND_FACTOR
}

/** Keeps a new session in this browser; the one it had ends, so that none is fixed on it. */
export async function keepSession(
  { db }: World,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<void> {
  const before = request.cookies[SESSION]
  if (before) await identity.endSession(db, before)
  request.cookies[SESSION] = token
  reply.setCookie(SESSION, token, { ...COOKIE, maxAge: SESSION_SECONDS })
  if (request.cookies[PENDING]) reply.clearCookie(PENDING, COOKIE)
}

/** Signs this browser out of the service. */
export async function signOut(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await currentSession(world, request)
  if (session) await signOutOfService(world, session, originOf(request))
  reply.clearCookie(SESSION, COOKIE)
}

/** A note of the service's own in the browser: signed, and good until the time inside it. */
export interface SignedCookie {
  name: string
  seconds: number
}

/** Leaves a mark in the browser. */
export function setSignedCookie(
  world: World,
  reply: FastifyReply,
  cookie: SignedCookie,
  value: string,
): void {
  const text = signed(world, `mark:${cookie.name}`, { value, seconds: cookie.seconds })
  reply.setCookie(`__Host-${cookie.name}`, text, { ...COOKIE, maxAge: cookie.seconds })
}

/** The value of a mark, or undefined where it is absent, altered or expired. */
export function readSignedCookie(
  world: World,
  request: FastifyRequest,
  cookie: SignedCookie,
): string | undefined {
  return readSigned(world, `mark:${cookie.name}`, request.cookies[`__Host-${cookie.name}`])
}

/** Notes that an account's owner was signed in in this browser: strangers' tries do not slow it. */
const KNOWN: SignedCookie = { name: 'known', seconds: YEAR_SECONDS }

/** Keeps in this browser that it is its owner's. */
export function rememberDevice(world: World, reply: FastifyReply, user_id: string): void {
  setSignedCookie(world, reply, KNOWN, `${user_id} ${mintSecret(world.random, 128)}`)
}

/** The account whose owner was signed in here last, if any. */
export function knownDevice(world: World, request: FastifyRequest): KnownDevice | undefined {
  const [user_id, device_id] = readSignedCookie(world, request, KNOWN)?.split(' ') ?? []
  return user_id && device_id ? { user_id, device_id } : undefined
}

/** Takes a mark away. */
export function clearSignedCookie(reply: FastifyReply, cookie: SignedCookie): void {
  reply.clearCookie(`__Host-${cookie.name}`, COOKIE)
}
