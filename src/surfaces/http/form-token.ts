import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { formOf } from '#http/input'
import { readId, type SellerId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { browserId, knownBrowser } from './browser.ts'
import { sessionToken } from './session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The seller that the page of this request is about; its forms name it. */
    shown_seller?: SellerId | undefined
  }
}

/**
 * The CSRF token of this browser's forms. It names the seller that the page is about, as another
 * tab may choose another one before a form is sent.
 */
export function csrfToken(world: World, request: FastifyRequest, reply: FastifyReply): string {
  const text = tokenText(browserId(world, request, reply), sessionToken(request))
  const token = world.keys.hmac(PURPOSE, text).toString('base64url')
  return request.shown_seller ? `${token}.${request.shown_seller}` : token
}

/** The seller whose page had the posted form; undefined for a form that is about none. */
export function sellerOfForm(request: FastifyRequest): SellerId | undefined {
  return readId('sel', givenToken(request).seller_id)
}

function givenToken(request: FastifyRequest): { token: string; seller_id: string } {
  const [token = '', seller_id = ''] = (formOf(request).csrf_token ?? '').split('.')
  return { token, seller_id }
}

function tokenText(browser: string, session = ''): string {
  return `${browser} ${session}`
}

const PURPOSE = 'form-token'

/** Throws unless a posted form was rendered for this browser and session. */
export function assertOwnForm(world: World, request: FastifyRequest): void {
  const given = Buffer.from(givenToken(request).token, 'base64url')
  // Never creates an ID here: a form of another site arrives without cookies and would replace it.
  const browser = knownBrowser(request)
  // A page from before this browser signed in, in another tab, is also valid.
  const isOurs = (session?: string) =>
    browser !== undefined && world.keys.verify(PURPOSE, tokenText(browser, session), given)
  if (isForeign(world, request) || !(isOurs(sessionToken(request)) || isOurs())) {
    throw new Problem(
      403,
      'stale_form',
      'This form is no longer valid. Go back, reload the page and try again. If this happens again, ' +
        'allow cookies for this site.',
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
