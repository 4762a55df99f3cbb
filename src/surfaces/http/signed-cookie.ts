import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { readToken, signToken, type TokenKind } from '#platform/signed-token'
import { COOKIE } from './browser.ts'

/** A signed cookie: its name, the lifetime of its value in seconds, and what it carries. */
export interface SignedCookie<Value> extends Omit<TokenKind<Value>, 'purpose'> {
  name: string
}

/** Sets a signed cookie. */
export function setSignedCookie<Value>(
  world: World,
  reply: FastifyReply,
  cookie: SignedCookie<Value>,
  value: Value,
): void {
  const token = signToken(world, tokenKindOf(cookie), value)
  reply.setCookie(`__Host-${cookie.name}`, token, { ...COOKIE, maxAge: cookie.seconds })
}

/** The value of a signed cookie; undefined if it is absent, altered or expired. */
export function readSignedCookie<Value>(
  world: World,
  request: FastifyRequest,
  cookie: SignedCookie<Value>,
): Value | undefined {
  return readToken(world, tokenKindOf(cookie), request.cookies[`__Host-${cookie.name}`])
}

/** Removes a signed cookie. */
export function clearSignedCookie(
  reply: FastifyReply,
  { name }: Pick<SignedCookie<unknown>, 'name'>,
): void {
  reply.clearCookie(`__Host-${name}`, COOKIE)
}

function tokenKindOf<Value>({ name, seconds, facts }: SignedCookie<Value>): TokenKind<Value> {
  return { purpose: `signed-cookie:${name}`, seconds, facts }
}
