import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { mintSecret, sha256 } from '#platform/secrets'

/** Cookies of this host alone, that no script and no other site can use. */
export const COOKIE = { path: '/', secure: true, httpOnly: true, sameSite: 'lax' } as const
const BROWSER = '__Host-browser'
export const YEAR_SECONDS = 365 * 86_400

/** What a new cookie is given to: an answer, in whichever server's hands it is. */
export interface CookieJar {
  setCookie(name: string, value: string, options: typeof COOKIE & { maxAge: number }): unknown
}

/** The handle of this browser, made on its first context: carts and form tokens are bound to it. */
export function browserId({ random }: World, request: FastifyRequest, jar: CookieJar): string {
  const known = knownBrowser(request)
  if (known) return known
  const made = mintSecret(random)
  request.cookies[BROWSER] = made
  jar.setCookie(BROWSER, made, { ...COOKIE, maxAge: YEAR_SECONDS })
  return made
}

/** The handle that this browser has already, if any. */
export function knownBrowser(request: FastifyRequest): string | undefined {
  const known = request.cookies[BROWSER]
  return known && /^[\w-]{43}$/.test(known) ? known : undefined
}

/** The digest under which a cart remembers its browser. */
export function browserHash(world: World, request: FastifyRequest, reply: FastifyReply): Buffer {
  return sha256(browserId(world, request, reply))
}
