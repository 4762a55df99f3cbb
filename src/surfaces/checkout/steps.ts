import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as billing from '#domain/billing'
import * as payments from '#domain/payments'
import {
  billingAddress,
  type CardPageOutcome,
  type Confirmed,
  confirm,
  discountOfCart,
  identifyBuyer,
  openCardPage,
  type Resumed,
  resume,
  storeEnteredCard,
} from '#flows/checkout'
import type { World } from '#flows/world'
import { countDecline, requireFewDeclines } from '#http/decline-limits'
import { csrfToken } from '#http/form-token'
import { CART_PATH, requireCart } from '#http/guards/cart'
import { formOf, paramsOf, queryOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm } from '#http/redirect'
import { currentSession } from '#http/session'
import type { RouteLimit } from '#platform/route-limits'
import { alertOf, declineOf } from './alert.ts'
import { CardRefusedPage, OtherStatePage } from './card-pages.tsx'
import { ConfirmPage } from './confirm-page.tsx'
import { ownerAddress, returnAddress } from './destination.ts'
import { applyLate, type NotApplied, notAppliedOf } from './discount.ts'
import { ProcessingPage } from './end-pages.tsx'
import { summaryLines } from './figures.ts'
import { pricedOrder } from './layout.tsx'
import { finishPreview, sendNoCard } from './preview.ts'
import { detailsUrl, type OwnCart, requireOwnCart } from './purchase.ts'
import { afterPay, elsewhere, isFromOtherCart, otherStep, stepElsewhere } from './step-elsewhere.ts'

const CARD_PAGES: RouteLimit = { name: 'checkout-card', points: 120, seconds: 60, key: byIp }
const byCart = (request: FastifyRequest) => paramsOf(CART_PATH, request).cart_id

// Card testers confirm often and buy little, so a purchase returns its points.
const CONFIRMATIONS: readonly RouteLimit[] = [
  { name: 'checkout-confirm', points: 6, seconds: 60, key: byCart },
  { name: 'checkout-confirm-hour', points: 20, seconds: 3600, key: byCart },
  { name: 'checkout-confirm-network', points: 30, seconds: 60, key: byIp },
]
/** Outcomes of a confirmation that do not complete a purchase. */
const NOT_PURCHASED: readonly Confirmed['outcome'][] = ['declined', 'action_required', 'processing']

/** The steps between details and license: card, confirmation and waiting. */
export function declareSteps(scope: FastifyInstance, world: World): void {
  declareCard(scope, world)
  declareConfirmation(scope, world)
  declareWaiting(scope, world)
}

function declareCard(scope: FastifyInstance, world: World): void {
  const config = { limits: [CARD_PAGES] }
  scope.get(`${CART_PATH}/card`, { config }, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    const other_step = elsewhere(world, own)
    if (other_step) return redirectTo(reply, other_step)
    if (own.is_preview) return sendNoCard(reply, own)
    // The buyer may have entered a card without returning from the processor's page.
    const entered = await storeEnteredCard(world, own.cart)
    if (entered.outcome === 'refused') return sendCardRefused(reply, own, entered)
    if (entered.outcome === 'stored') return redirectTo(reply, afterCard(own.cart, entered))
    const base = `${world.config.base_url}/checkout/${own.cart.id}`
    const url = await openCardPage(world, own.cart, {
      app: own.app,
      price: own.price,
      summary: summaryLines(own.price, own.totals, own.purchase.locale),
      figures: pricedOrder(own.purchase),
      return_url: `${base}/card-entered`,
      back_url: `${base}/details`,
      note: noteOf(own),
    })
    return redirectTo(reply, url)
  })

  scope.get(`${CART_PATH}/card-entered`, { config }, async (request, reply) => {
    const cart = await requireCart(world, request, reply)
    const other_step = await stepElsewhere(world, { cart })
    if (other_step) return redirectTo(reply, other_step)
    const entered = await storeEnteredCard(world, cart)
    if (entered.outcome !== 'refused') return redirectTo(reply, afterCard(cart, entered))
    return sendCardRefused(reply, await requireOwnCart(world, request, reply), entered)
  })
}

/** What the card page says to a buyer whose card was declined for what they entered. */
function noteOf(own: OwnCart): string | undefined {
  const code = declineOf(own)
  if (code === undefined || !payments.mayBeMistyped(code)) return undefined
  return own.purchase.locale.t('checkout.check_card')
}

function statementOf({ config }: World, { name }: { name: string }): string {
  return payments.statementText(config.operator.statement_descriptor, name).text
}

/** Where a buyer continues after the card page: at the confirmation, or there again. */
function afterCard(cart: billing.Cart, { outcome }: CardPageOutcome): string {
  const isEntered = outcome === 'stored' || cart.card !== null
  return `/checkout/${cart.id}/${isEntered ? 'confirm' : 'card'}`
}

/** Shows what is wrong with a card. */
function sendCardRefused(
  reply: FastifyReply,
  { cart, purchase }: OwnCart,
  { reason, card }: Extract<CardPageOutcome, { outcome: 'refused' }>,
): FastifyReply {
  const card_url = `/checkout/${cart.id}/card`
  const page =
    reason === 'other_state'
      ? OtherStatePage({
          purchase,
          card_url,
          details_url: detailsUrl(cart),
          declared: { state: cart.state!, zip: cart.zip! },
          billed: billingAddress(card),
        })
      : CardRefusedPage({ purchase, card_url, reason })
  return sendPage(reply, page, { status: 422 })
}

function declareConfirmation(scope: FastifyInstance, world: World): void {
  scope.get(`${CART_PATH}/confirm`, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    const other_step = elsewhere(world, own)
    if (other_step) return redirectTo(reply, other_step)
    const { cart, purchase, totals } = own
    const { locale } = purchase
    const { t } = locale
    if (!cart.card && !own.is_preview) return redirectTo(reply, `/checkout/${cart.id}/card`)
    if (await applyLate(world, own)) return redirectTo(reply, `/checkout/${cart.id}/confirm`)
    const notice = queryOf(request, 'notice')
    const page = ConfirmPage({
      purchase,
      csrf_token: csrfToken(world, request, reply),
      cart_id: cart.id,
      agreement: totals.agreement,
      details_url: detailsUrl(cart),
      email: cart.email!,
      place: t('checkout.place', { state: cart.state!, zip: cart.zip! }),
      card: cart.card ? payments.cardName(cart.card, locale) : t('checkout.no_card'),
      statement: statementOf(world, own.app),
      is_preview: own.is_preview,
      is_trial: totals.terms.status === 'trialing',
      is_trial_used: totals.is_trial_used,
      prepaid_until: totals.prepaid_until,
      applied_code: totals.discount?.code,
      not_applied: await notAppliedTo(world, own, notice),
      ...alertOf(own, notice),
    })
    return sendPage(reply, page)
  })

  const config = { limits: CONFIRMATIONS }
  scope.post(`${CART_PATH}/confirm`, { config }, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    const { cart } = own
    const giveBack = async () => {
      for (const limit of CONFIRMATIONS) await world.limits.restore(limit, limit.key(request))
    }
    if (own.is_preview) await giveBack()
    if (own.is_preview) return await finishPreview(world, request, reply, own)
    if (own.is_signed_out && !afterPay(own)) {
      await giveBack()
      return await redirectAfter(world, reply, own, { outcome: 'sign_in_needed' })
    }
    const email_normalized = cart.email_normalized!
    await requireFewDeclines(world, request, email_normalized)
    const confirmed = await confirm(world, {
      cart_id: cart.id,
      agreement: formOf(request).agreement ?? '',
      return_url: `${world.config.base_url}/checkout/${cart.id}/resume`,
      seen: own,
    })
    if (confirmed.outcome === 'declined') {
      await countDecline(world, request, email_normalized)
    }
    if (!NOT_PURCHASED.includes(confirmed.outcome)) await giveBack()
    return await redirectAfter(world, reply, own, confirmed)
  })
}

/** Reconciles a cart whose buyer returns; they may have bought in another tab. */
async function resumePurchase(
  world: World,
  request: FastifyRequest,
  { cart }: OwnCart,
): Promise<Confirmed | Resumed> {
  const resumed = await resume(world, cart)
  if (resumed.outcome !== 'not_charged' && resumed.outcome !== 'untried') return resumed
  const found = await identifyBuyer(world, cart, await currentSession(world, request))
  return found?.license ? { outcome: 'already_owned', license: found.license } : resumed
}

function declareWaiting(scope: FastifyInstance, world: World): void {
  scope.get(`${CART_PATH}/resume`, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    return await redirectAfter(world, reply, own, await resumePurchase(world, request, own))
  })

  scope.get(`${CART_PATH}/processing`, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    if (own.other) return redirectTo(reply, otherStep(own.other))
    const is_from_other_cart = isFromOtherCart(request)
    const seen = await resumePurchase(world, request, own)
    if (seen.outcome === 'completed' && is_from_other_cart) {
      return redirectTo(reply, otherStep({ ...own.cart, ...seen }))
    }
    if (seen.outcome !== 'processing') return await redirectAfter(world, reply, own, seen)
    const { email, email_normalized } = own.cart
    const isOwn = own.attempt?.status === 'open'
    const pending = isOwn
      ? own.attempt
      : await payments.findPending(world.db, {
          app_id: own.app.id,
          email_normalized: email_normalized!,
        })
    const page = ProcessingPage({
      purchase: own.purchase,
      url: is_from_other_cart ? otherStep(own.cart) : `/checkout/${own.cart.id}/processing`,
      return_url: returnAddress(world, own.app, {
        next_url: own.cart.next_url,
        order_id: await billing.pendingOrderOf(world.db, own.cart.id),
      }),
      email: email!,
      is_slow: pending !== undefined && payments.isSlow(world.clock.now(), pending),
      is_other: !isOwn,
      is_from_other_cart,
    })
    return sendPage(reply, page, { status: 202 })
  })
}

/** Redirects a buyer after Pay or a challenge; both are forms and may lead out of the service. */
async function redirectAfter(
  world: World,
  reply: FastifyReply,
  own: OwnCart,
  confirmed: Confirmed | Resumed,
): Promise<FastifyReply> {
  const address = await afterConfirming(world, own, confirmed)
  if (confirmed.outcome === 'already_owned') return redirectAfterForm(reply, address, 'owned')
  if (confirmed.outcome === 'action_required')
    return redirectAfterForm(reply, address, 'confirm_with_bank')
  return redirectTo(reply, address)
}

async function afterConfirming(
  world: World,
  own: OwnCart,
  confirmed: Confirmed | Resumed,
): Promise<string> {
  const base = `/checkout/${own.cart.id}`
  switch (confirmed.outcome) {
    case 'completed':
      return `${base}/success`
    case 'action_required':
      return confirmed.action_url
    case 'processing':
      return `${base}/processing`
    case 'already_owned':
      return await ownerAddress(world, own.app, confirmed.license, own.cart.next_url)
    case 'declined':
    case 'untried':
    case 'preview':
      return `${base}/confirm`
    case 'not_continued':
      return `${base}/not-continued`
    case 'changed':
      return `${base}/confirm?notice=changed`
    case 'not_charged':
      return `${base}/confirm?notice=not_charged`
    case 'card_needed':
      return `${base}/card`
    case 'sign_in_needed':
      return `${base}/sign-in?notice=not_charged`
    case 'gone':
    case 'expired':
      return detailsUrl(own.cart)
  }
}

/** The code that was entered and does not apply, until a payment without it was declined. */
async function notAppliedTo(
  world: World,
  own: OwnCart,
  notice: string | undefined,
): Promise<NotApplied | undefined> {
  if (own.cart.discount_id !== null) return undefined
  if (own.attempt?.status === 'declined' && notice === undefined) return undefined
  return notAppliedOf(await discountOfCart(world, own.cart, own), own.purchase.locale)
}
