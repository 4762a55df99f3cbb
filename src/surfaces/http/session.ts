import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import * as identity from '#domain/identity'
import { enter, type KnownDevice, type ProvenOwner } from '#flows/sign-in'
import { signOutOfService } from '#flows/sign-out'
import type { World } from '#flows/world'
import { mintSecret } from '#platform/secrets'
import { COOKIE, YEAR_SECONDS } from './browser.ts'
import { deviceOf, originOf } from './device.ts'
import { readSignedCookie, type SignedCookie, setSignedCookie } from './signed-cookie.ts'

const SESSION = '__Host-session'
const PENDING = '__Host-pending'
const SESSION_SECONDS = 30 * 86_400

/** The session token that this browser sends, unchecked. */
export function sessionToken(request: FastifyRequest): string | undefined {
  return request.cookies[SESSION]
}

/** The live session of this browser; one that owes a second factor is none. */
export async function currentSession(
  { db, clock }: World,
  request: FastifyRequest,
): Promise<identity.Session | undefined> {
  const token = sessionToken(request)
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
 * Signs in a person who proved to own an account, and returns the address to go on to: where
 * the account has a second factor, the page that asks for it, and there is no session before.
 */
export async function letIn(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  proven: ProvenOwner,
): Promise<string> {
  const { kind, token } = await enter(world, proven, {
    device: deviceOf(request),
    origin: originOf(request),
  })
  if (kind === 'session') {
    await keepSession(world, request, reply, token)
    if (proven.app_id === null) rememberDevice(world, reply, proven.user_id)
    return proven.return_to ?? '/account/'
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
  const before = sessionToken(request)
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

/** Notes that an account's owner was signed in in this browser: strangers' tries do not slow it. */
const KNOWN: SignedCookie<KnownDevice> = {
  name: 'known',
  seconds: YEAR_SECONDS,
  facts: z.object({ user_id: z.string(), device_id: z.string() }),
}

/** Keeps in this browser that it is its owner's. */
export function rememberDevice(world: World, reply: FastifyReply, user_id: string): void {
  const device_id = mintSecret(world.random, 128)
  setSignedCookie(world, reply, KNOWN, { user_id, device_id })
}

/** The account whose owner was signed in here last, if any. */
export function knownDevice(world: World, request: FastifyRequest): KnownDevice | undefined {
  return readSignedCookie(world, request, KNOWN)
}
