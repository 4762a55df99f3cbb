/** What this site stores about a browser: started sign-ins, and its session. */
import { randomBytes } from 'node:crypto'
import type { CookieSerializeOptions } from '@fastify/cookie'
import type { FastifyReply, FastifyRequest } from 'fastify'
import type { Session } from './plans.ts'
import type { Attempt, Tokens } from './sign-in.ts'

const LIMIT = 10_000
const DAY_SECONDS = 86_400

export type Visitors = ReturnType<typeof createVisitors>

/** `secure` is true when the site is served over https: its cookies then never leave https. */
export function createVisitors({ secure }: { secure: boolean }) {
  const sessions = new Map<string, Session>()
  const attempts = new Map<string, Attempt>()
  const prefix = secure ? '__Host-' : ''
  const session_cookie = `${prefix}driftlog_session`
  const browser_cookie = `${prefix}driftlog_browser`
  const options: CookieSerializeOptions = { path: '/', httpOnly: true, sameSite: 'lax', secure }

  return {
    /** Stores a sign-in that this browser started; each tab may have its own. */
    begin(request: FastifyRequest, reply: FastifyReply, attempt: Attempt): void {
      const browser = request.cookies[browser_cookie] ?? randomId()
      keep(attempts, `${browser} ${attempt.state}`, attempt)
      reply.setCookie(browser_cookie, browser, { ...options, maxAge: DAY_SECONDS })
    },

    /** Returns the sign-in with this state, if this browser started it; only once. */
    take(request: FastifyRequest, state: string): Attempt | undefined {
      const key = `${request.cookies[browser_cookie]} ${state}`
      const attempt = attempts.get(key)
      attempts.delete(key)
      return attempt
    },

    /** Starts a session; the browser's previous one ends. */
    signIn(request: FastifyRequest, reply: FastifyReply, tokens: Tokens): void {
      sessions.delete(request.cookies[session_cookie] ?? '')
      const id = randomId()
      keep(sessions, id, { tokens })
      reply.setCookie(session_cookie, id, { ...options, maxAge: 30 * DAY_SECONDS })
    },

    sessionOf(request: FastifyRequest): Session | undefined {
      return sessions.get(request.cookies[session_cookie] ?? '')
    },

    signOut(request: FastifyRequest, reply: FastifyReply): void {
      sessions.delete(request.cookies[session_cookie] ?? '')
      reply.clearCookie(session_cookie, options)
    },
  }
}

function randomId(): string {
  return randomBytes(32).toString('base64url')
}

/** Adds an entry and drops the oldest beyond the limit. */
function keep<Value>(map: Map<string, Value>, key: string, value: Value): void {
  map.set(key, value)
  for (const oldest of map.keys()) {
    if (map.size <= LIMIT) break
    map.delete(oldest)
  }
}
