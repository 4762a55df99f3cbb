import type { FastifyInstance } from 'fastify'
import * as identity from '#domain/identity'
import { identifyBuyer } from '#flows/checkout'
import { sendEntryLetter, signInWithPassword } from '#flows/sign-in'
import type { World } from '#flows/world'
import { ownValue } from '#platform/text'
import { csrfToken, currentSession, knownDevice, letIn } from '#surfaces/browser'
import { originOf } from '#surfaces/device'
import { FAULTS } from '#surfaces/faults'
import { goOn, OWNED } from '#surfaces/onwards'
import { formOf, goTo, queryOf, sendPage } from '#surfaces/pages'
import { buyUrl, cartBegunElsewhere, detailsUrl, ownCart } from './cart-guard.ts'
import { ownerAddress } from './destination.ts'
import { SignInPage } from './pages.tsx'

/** The step in between for an address that has an account: its owner signs in first. */
export function declareSignIn(scope: FastifyInstance, world: World): void {
  scope.get('/checkout/:cart_id/sign-in', async (request, reply) => {
    // A sign-in link that was opened in another browser: there the purchase begins anew.
    const left = await cartBegunElsewhere(world, request, reply)
    if (left) return goTo(reply, buyUrl(left))
    const own = await ownCart(world, request, reply)
    const { cart, app } = own
    if (cart.order_id) return goTo(reply, `/checkout/${cart.id}/success`)
    // A sign-in link leads here as well, with a session by now.
    const identified = await identifyBuyer(world, cart, await currentSession(world, request))
    // A form may have led here, so the way out of the service is a navigation of its own.
    if (identified?.license) {
      return goOn(reply, await ownerAddress(world, app, identified.license, cart.next_url), OWNED)
    }
    if (identified) return goTo(reply, `/checkout/${cart.id}/card`)
    const fault = queryOf(request, 'fault')
    const page = SignInPage({
      purchase: own.purchase,
      csrf_token: csrfToken(world, request, reply),
      cart_id: cart.id,
      details_url: detailsUrl(cart),
      email: cart.email!,
      fault: ownValue(WORDS, fault),
      link_sent: queryOf(request, 'link') === 'sent',
    })
    return sendPage(reply, page, { status: fault === undefined ? 200 : 422 })
  })

  scope.post('/checkout/:cart_id/sign-in', async (request, reply) => {
    const { cart } = await ownCart(world, request, reply)
    const here = `/checkout/${cart.id}/sign-in`
    const email = identity.readEmail(cart.email!)!
    const signedIn = await signInWithPassword(world, {
      ...email,
      password: formOf(request).password ?? '',
      origin: originOf(request),
      known: knownDevice(world, request),
    })
    if (signedIn.outcome !== 'signed_in') return goTo(reply, `${here}?fault=${signedIn.outcome}`)
    const { user_id } = signedIn
    const entrant = {
      user_id,
      app_id: null,
      return_to: here,
      is_complete: false,
      by: 'password',
    } as const
    return goOn(reply, await letIn(world, request, reply, entrant))
  })

  scope.post('/checkout/:cart_id/sign-in-link', async (request, reply) => {
    const { cart } = await ownCart(world, request, reply)
    const here = `/checkout/${cart.id}/sign-in`
    const email = identity.readEmail(cart.email!)!
    const sent = await sendEntryLetter(world, {
      ...email,
      kind: 'sign_in',
      return_to: here,
      origin: originOf(request),
      known: knownDevice(world, request),
    })
    return goTo(reply, sent.outcome === 'sent' ? `${here}?link=sent` : `${here}?fault=too_often`)
  })
}

const WORDS: Record<string, string> = {
  wrong: 'That password is not right. Try again, or let us email you a sign-in link.',
  too_often: FAULTS.too_often,
}
