/**
 * What this site stores about a browser: a session with its license key, and a nonce that goes
 * through checkout, so that a purchase only returns to the browser that started it.
 */
import { randomBytes, timingSafeEqual } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'

const SESSION_LIMIT = 10_000
const DAY_SECONDS = 86_400

export type Visitors = ReturnType<typeof createVisitors>

/** `secure` is true when the site is served over https: its cookies then never leave https. */
export function createVisitors({ secure }: { secure: boolean }) {
  const keys = new Map<string, string>()
  const prefix = secure ? '__Host-' : ''
  const session_cookie = `${prefix}tidepool_session`
  const visit_cookie = `${prefix}tidepool_visit`
  const options: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure }

  function visitOf(request: FastifyRequest): string | undefined {
    const visit = request.cookies[visit_cookie]
    return visit && /^[\w-]{22}$/.test(visit) ? visit : undefined
  }

  return {
    /** The license key of this session, if it has one. */
    keyOf(request: FastifyRequest): string | undefined {
      return keys.get(request.cookies[session_cookie] ?? '')
    },

    /** Starts a session for a key. The nonce is discarded: one visit, one purchase. */
    signIn(request: FastifyRequest, reply: FastifyReply, license_key: string): void {
      keys.delete(request.cookies[session_cookie] ?? '')
      const id = randomBytes(32).toString('base64url')
      keys.set(id, license_key)
      for (const oldest of keys.keys()) {
        if (keys.size <= SESSION_LIMIT) break
        keys.delete(oldest)
      }
      reply.setCookie(session_cookie, id, { ...options, maxAge: 30 * DAY_SECONDS })
      reply.clearCookie(visit_cookie, options)
    },

    signOut(request: FastifyRequest, reply: FastifyReply): void {
      keys.delete(request.cookies[session_cookie] ?? '')
      reply.clearCookie(session_cookie, options)
    },

    /** The nonce of this browser, for the return address of a buy link. */
    visit(request: FastifyRequest, reply: FastifyReply): string {
      const visit = visitOf(request) ?? randomBytes(16).toString('base64url')
      reply.setCookie(visit_cookie, visit, { ...options, maxAge: 7 * DAY_SECONDS })
      return visit
    },

    /** Whether a return address contains this browser's nonce. */
    isOwnVisit(request: FastifyRequest, given: string | undefined): boolean {
      const own = Buffer.from(visitOf(request) ?? '')
      const other = Buffer.from(given ?? '')
      return own.length > 0 && own.length === other.length && timingSafeEqual(own, other)
    },
  }
}
