import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as identity from '#domain/identity'
import type { License } from '#domain/licensing'
import { identifyBuyer, requote } from '#flows/checkout'
import { sendSignInEmail, signInWithPassword } from '#flows/sign-in'
import type { World } from '#flows/world'
import { originOf } from '#http/device'
import { type Outcome, refusedFor, statusOf, tooOften } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { CART_PATH, cartOfOtherBrowser } from '#http/guards/cart'
import { formOf, queryOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm } from '#http/redirect'
import { currentSession, knownDevice, startSession } from '#http/session'
import { ownerAddress } from './destination.ts'
import { buyLinkOf, detailsUrl, type OwnCart, requireOwnCart } from './purchase.ts'
import { otherStep } from './step-elsewhere.ts'
import { SignInPage } from './step-pages.tsx'

/** The sign-in step, for an email that has an account. */
export function declareSignIn(scope: FastifyInstance, world: World): void {
  scope.get(`${CART_PATH}/sign-in`, async (request, reply) => {
    // A sign-in link was opened in another browser, where the purchase starts again.
    const left = await cartOfOtherBrowser(world, request, reply)
    if (left) return redirectTo(reply, buyLinkOf(left))
    const own = await requireOwnCart(world, request, reply)
    const { cart, app } = own
    if (cart.order_id) return redirectTo(reply, `/checkout/${cart.id}/success`)
    // A sign-in link returns here too, with a session.
    const identified = await identify(world, own, await currentSession(world, request))
    // A form may have led here, so a redirect out of the service needs an intermediate page.
    if (identified?.license) {
      return redirectAfterForm(
        reply,
        await ownerAddress(world, app, identified.license, cart.next_url),
        'owned',
      )
    }
    if (own.other) return redirectTo(reply, otherStep(own.other))
    if (identified) {
      return redirectTo(reply, `/checkout/${cart.id}/${cart.card ? 'confirm' : 'card'}`)
    }
    return sendForm(world, request, reply, { own })
  })

  scope.post(`${CART_PATH}/sign-in`, async (request, reply) => trySignIn(world, request, reply))

  scope.post(`${CART_PATH}/sign-in-link`, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    const { cart } = own
    const here = `/checkout/${cart.id}/sign-in`
    const email = identity.readEmail(cart.email!)!
    const sent = await sendSignInEmail(world, {
      ...email,
      kind: 'sign_in',
      language: own.purchase.locale.language,
      return_to: here,
      origin: originOf(request),
      known: knownDevice(world, request),
    })
    if (sent.outcome !== 'sent') {
      return sendForm(world, request, reply, { own, ...tooOften(sent, own.purchase.locale) })
    }
    return redirectTo(reply, `${here}?link=sent`)
  })
}

async function trySignIn(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
): Promise<FastifyReply> {
  const own = await requireOwnCart(world, request, reply)
  const { cart } = own
  const here = `/checkout/${cart.id}/sign-in`
  const email = identity.readEmail(cart.email!)!
  const { password = '' } = formOf(request)
  const { locale } = own.purchase
  // An empty password does not count as a failed attempt.
  if (password === '') {
    const fault = locale.t('error.missing_password')
    return sendForm(world, request, reply, { own, fault, is_missing: true })
  }
  const signedIn = await signInWithPassword(world, {
    ...email,
    password,
    origin: originOf(request),
    known: knownDevice(world, request),
  })
  if (signedIn.outcome !== 'signed_in') {
    const refused = refusedFor(signedIn, locale.t('checkout.wrong_password'), locale)
    return sendForm(world, request, reply, { own, ...refused })
  }
  const { user_id, password_hash } = signedIn
  const proven = {
    user_id,
    password_hash,
    app_id: null,
    return_to: here,
    is_complete: false,
    by: 'password',
  } as const
  return redirectAfterForm(reply, await startSession(world, request, reply, proven))
}

/** Like `identifyBuyer`. Whether this buyer may use the cart's discount code is known only now. */
async function identify(
  world: World,
  { cart, app, price }: OwnCart,
  session: identity.Session | undefined,
): Promise<{ license: License | undefined } | undefined> {
  const identified = await identifyBuyer(world, cart, session)
  if (session && identified && cart.user_id === null && cart.discount_id !== null) {
    await requote(world, { ...cart, user_id: session.user_id }, { app, price })
  }
  return identified
}

function sendForm(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  state: Outcome & { own: OwnCart; is_missing?: true },
): FastifyReply {
  const { cart, purchase } = state.own
  const page = SignInPage({
    purchase,
    csrf_token: csrfToken(world, request, reply),
    cart_id: cart.id,
    details_url: detailsUrl(cart),
    email: cart.email!,
    fault: state.fault,
    is_missing: state.is_missing ?? false,
    link_sent: queryOf(request, 'link') === 'sent',
    is_after_pay: queryOf(request, 'notice') === 'not_charged',
  })
  return sendPage(reply, page, statusOf(state))
}
