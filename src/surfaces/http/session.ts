import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as identity from '#domain/identity'
import { type KnownDevice, type ProvenOwner, signIn } from '#flows/sign-in'
import { signOutOfService } from '#flows/sign-out'
import type { World } from '#flows/world'
import { idSchema, type UserId } from '#platform/ids'
import { mintSecret } from '#platform/secrets'
import { COOKIE, YEAR_SECONDS } from './browser.ts'
import { deviceOf, originOf } from './device.ts'
import { homeOf } from './home.ts'
import { readSignedCookie, type SignedCookie, setSignedCookie } from './signed-cookie.ts'

const SESSION = '__Host-session'
const PENDING = '__Host-pending'
const SESSION_SECONDS = 30 * 86_400

declare module 'fastify' {
  interface FastifyRequest {
    /** The session that this request was found to have, with the token that named it. */
    found_session?: { token: string; session: identity.Session | undefined } | undefined
  }
}

/** The session token of this browser, not validated. */
function sessionToken(request: FastifyRequest): string | undefined {
  return request.cookies[SESSION]
}

/** The session of this browser; undefined if it has expired or still needs the second factor. */
export async function currentSession(
  { db, clock }: World,
  request: FastifyRequest,
): Promise<identity.Session | undefined> {
  const token = sessionToken(request)
  if (!token) return undefined
  if (request.found_session?.token === token) return request.found_session.session
  const now = clock.now()
  const session = await identity.findSession(db, now, token)
  request.found_session = { token, session }
  if (session) {
    request.account_id = session.user_id
    await identity.recordSeen(db, now, session)
  }
  return session
}

/** The account that this request was found to be signed in to. */
export function signedInAccount(request: FastifyRequest): UserId | undefined {
  const found = request.found_session
  return found?.token === sessionToken(request) ? found?.session?.user_id : undefined
}

/** The token of a sign-in on this browser that still needs the second factor. */
export function pendingToken(request: FastifyRequest): string {
  return request.cookies[PENDING] ?? ''
}

/** The page of test mode that sends members of sellers to live mode. */
export const ENTER_FROM_LIVE = '/test-mode/sign-in'

/** The page that asks for the second factor. */
export const SECOND_FACTOR = '/signin/second-factor'

/**
 * Signs in a person who proved that they own an account, and returns the next address. If the
 * account has a second factor, that is the page that asks for it, and the session starts after it.
 * In the test mode beside live mode, a member of a seller only gets a session by way of live mode.
 */
export async function startSession(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  proven: ProvenOwner,
): Promise<string> {
  const entered = await signIn(world, proven, {
    device: deviceOf(request),
    origin: originOf(request),
  })
  if (!('token' in entered)) return entered.kind === 'live_mode' ? ENTER_FROM_LIVE : '/signin/'
  const { kind, token } = entered
  if (kind === 'session') {
    await setSessionCookie(world, request, reply, token)
    if (proven.app_id === null) setDeviceCookie(world, reply, proven.user_id)
    if (proven.return_to !== undefined) return proven.return_to
    // A session for one purchase sees only that.
    return proven.app_id === null ? await homeOf(world, proven.user_id) : '/account/'
  }
  reply.setCookie(PENDING, token, { ...COOKIE, maxAge: identity.PENDING_SECONDS })
  return SECOND_FACTOR
}

/** Starts a session in this browser. Its previous session ends, to prevent session fixation. */
export async function setSessionCookie(
  { db }: World,
  request: FastifyRequest,
  reply: FastifyReply,
  token: string,
): Promise<void> {
  const before = sessionToken(request)
  if (before) await identity.endSession(db, before)
  request.cookies[SESSION] = token
  reply.setCookie(SESSION, token, { ...COOKIE, maxAge: SESSION_SECONDS })
  if (request.cookies[PENDING]) reply.clearCookie(PENDING, COOKIE)
}

/** Removes the cookie of a session that has already ended. */
export function clearSession(request: FastifyRequest, reply: FastifyReply): void {
  reply.clearCookie(SESSION, COOKIE)
  request.found_session = undefined
  request.account_menu = undefined
}

/** Signs this browser out. */
export async function signOut(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<void> {
  const session = await currentSession(world, request)
  if (session) await signOutOfService(world, session, originOf(request))
  clearSession(request, reply)
}

/**
 * Marks a browser on which an account's owner signed in; failed sign-ins elsewhere do not slow it.
 */
const KNOWN: SignedCookie<KnownDevice> = {
  name: 'known',
  seconds: YEAR_SECONDS,
  facts: z.object({ user_id: idSchema('usr'), device_id: z.string() }),
}

/** Marks this browser as the owner's. */
export function setDeviceCookie(world: World, reply: FastifyReply, user_id: UserId): void {
  const device_id = mintSecret(world.random, 128)
  setSignedCookie(world, reply, KNOWN, { user_id, device_id })
}

/** The account whose owner last signed in on this browser. */
export function knownDevice(world: World, request: FastifyRequest): KnownDevice | undefined {
  return readSignedCookie(world, request, KNOWN)
}
