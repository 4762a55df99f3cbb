import type { IncomingMessage } from 'node:http'
import type { FastifyRequest } from 'fastify'
import type { KoaContextWithOIDC } from 'oidc-provider'
import type { Session } from '#domain/identity'
import type { World } from '#flows/world'
import type { CookieJar } from '#http/browser'
import { currentSession } from '#http/session'

const requests = new WeakMap<object, FastifyRequest>()

/** Associates Fastify's request with the raw one that the library handles. */
export function linkRequest(request: FastifyRequest): void {
  requests.set(request.raw, request)
}

/** The request that the library is handling. */
export function requestOf(raw: IncomingMessage | object): FastifyRequest {
  const request = requests.get(raw)
  if (!request) throw new Error('the library answers a request that it was not given')
  return request
}

const sessions = new WeakMap<FastifyRequest, Promise<Session | undefined>>()

/** The service's session in the request that the library is handling, read once per request. */
export async function sessionOf(
  world: World,
  { req }: Pick<KoaContextWithOIDC, 'req'>,
): Promise<Session | undefined> {
  const request = requestOf(req)
  const session = sessions.get(request) ?? currentSession(world, request)
  sessions.set(request, session)
  return await session
}

/** Sets cookies of this service on the library's response. */
export function jarOf(ctx: Pick<KoaContextWithOIDC, 'cookies'>): CookieJar {
  return {
    setCookie: (name, value, { maxAge, ...options }) =>
      ctx.cookies.set(name, value, { ...options, maxAge: maxAge * 1000, signed: false }),
  }
}
