import type { FastifyReply, FastifyRequest } from 'fastify'
import type { World } from '#flows/world'
import { formOf } from '#http/input'
import { readId, type SellerId, type UserId } from '#platform/ids'
import { Problem } from '#platform/problem'
import { sameDigest } from '#platform/secrets'
import { browserId, knownBrowser } from './browser.ts'
import { signedInAccount } from './session.ts'

declare module 'fastify' {
  interface FastifyRequest {
    /** The seller that the page of this request is about; its forms name it. */
    shown_seller?: SellerId | undefined
  }
}

/**
 * The CSRF token of this browser's forms, for the account that is signed in: its forms in other
 * tabs stay valid when it authenticates again. It names the seller that the page is about, as
 * another tab may choose another one before a form is sent.
 */
export function csrfToken(world: World, request: FastifyRequest, reply: FastifyReply): string {
  const browser = browserId(world, request, reply)
  const texts = [browser, accountText(browser, signedInAccount(request))]
  const proofs = texts.map((text) => shortened(world.keys.hmac(PURPOSE, text)))
  const token = Buffer.concat(proofs).toString('base64url')
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

function accountText(browser: string, account?: UserId): string {
  return `${browser} ${account ?? ''}`
}

const PURPOSE = 'form-token'
/** The bytes of each of the two proofs in a token: of the browser, and of its account. */
const PROOF_BYTES = 16

function shortened(hash: Buffer): Buffer {
  return hash.subarray(0, PROOF_BYTES)
}

/**
 * Throws unless a posted form was rendered for this browser, and for no other account than the one
 * signed in now. Where none is, the form's own guard asks the person to sign in.
 */
export function assertOwnForm(world: World, request: FastifyRequest): void {
  const given = Buffer.from(givenToken(request).token, 'base64url')
  // Never creates an ID here: a form of another site arrives without cookies and would replace it.
  const browser = knownBrowser(request)
  const account = signedInAccount(request)
  const proves = (text: string, proof: Buffer) =>
    world.keys.hmacs(PURPOSE, text).some((hash) => sameDigest(shortened(hash), proof))
  const isOurs = () => {
    if (browser === undefined || !proves(browser, given.subarray(0, PROOF_BYTES))) return false
    const ofAccount = given.subarray(PROOF_BYTES)
    // A page from before this browser signed in, in another tab, is also valid.
    const accounts = [account, undefined]
    return !account || accounts.some((each) => proves(accountText(browser, each), ofAccount))
  }
  if (isForeign(world, request) || !isOurs()) {
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
