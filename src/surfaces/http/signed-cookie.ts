import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { COOKIE } from './browser.ts'
import { readSigned, signed } from './signed-token.ts'

/** A signed cookie: its name, and for how many seconds its value is valid. */
export interface SignedCookie {
  name: string
  seconds: number
}

/** Sets a signed cookie. */
export function setSignedCookie(
  world: World,
  reply: FastifyReply,
  cookie: SignedCookie,
  value: string,
): void {
  const text = signed(world, `signed-cookie:${cookie.name}`, { value, seconds: cookie.seconds })
  reply.setCookie(`__Host-${cookie.name}`, text, { ...COOKIE, maxAge: cookie.seconds })
}

/** The value of a signed cookie, or undefined where it is absent, altered or expired. */
export function readSignedCookie(
  world: World,
  request: FastifyRequest,
  cookie: SignedCookie,
): string | undefined {
  return readSigned(world, `signed-cookie:${cookie.name}`, request.cookies[`__Host-${cookie.name}`])
}

/** Removes a signed cookie. */
export function clearSignedCookie(reply: FastifyReply, cookie: SignedCookie): void {
  reply.clearCookie(`__Host-${cookie.name}`, COOKIE)
}
