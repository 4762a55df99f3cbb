import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { mintSecret, sha256 } from '#platform/secrets'

/** Options of cookies that only this host receives and scripts cannot read. */
export const COOKIE = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const
const BROWSER = '__Host-browser'
export const YEAR_SECONDS = 365 * 86_400

/** Sets a cookie on a response of Fastify or of the sign-in library. */
export interface CookieJar {
  setCookie(name: string, value: string, options: typeof COOKIE & { maxAge: number }): unknown
}

/** The ID of this browser, created on first use; carts and form tokens are bound to it. */
export function browserId({ random }: World, request: FastifyRequest, jar: CookieJar): string {
  const known = knownBrowser(request)
  if (known) return known
  const made = mintSecret(random)
  request.cookies[BROWSER] = made
  jar.setCookie(BROWSER, made, { ...COOKIE, maxAge: YEAR_SECONDS })
  return made
}

/** The ID of this browser, if it already has one. */
export function knownBrowser(request: FastifyRequest): string | undefined {
  const known = request.cookies[BROWSER]
  return known && /^[\w-]{43}$/.test(known) ? known : undefined
}

/** The hash under which a cart stores its browser. */
export function browserHash(world: World, request: FastifyRequest, reply: FastifyReply): Buffer {
  return sha256(browserId(world, request, reply))
}
