import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { taxLabel } from '#design/money'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { resendReceipt } from '#flows/resend-receipt'
import { appTime, type World } from '#flows/world'
import { addNewAccountMenu } from '#http/account-menu'
import { csrfToken } from '#http/form-token'
import { CART_PATH } from '#http/guards/cart'
import { manageUrl } from '#http/guards/license'
import { queryOf } from '#http/input'
import { recordKeyShown } from '#http/key-shown'
import { redirectTo, sendPage } from '#http/pages'
import { signInUrl } from '#http/redirect'
import { currentSession, startSession } from '#http/session'
import { sum, ZERO } from '#platform/money'
import { returnAddress } from './destination.ts'
import { SuccessPage } from './end-pages.tsx'
import { deductionOf, itemsOf, type LaterPeriods, renewal } from './figures.ts'
import { sendPreviewDone } from './preview.ts'
import { type OwnCart, requireOwnCart } from './purchase.ts'
import { isFromOtherCart } from './step-elsewhere.ts'

/** The last step: the key, resending the receipt, and the link back to the app. */
export function declareSuccess(scope: FastifyInstance, world: World): void {
  scope.get(`${CART_PATH}/success`, async (request, reply) => {
    const own = await requireOwnCart(world, request, reply)
    const { cart, app } = own
    if (own.is_preview) return await sendPreviewDone(world, request, reply, own)
    const order = cart.order_id ? await billing.orderDetails(world.db, cart.order_id) : undefined
    if (!order) return redirectTo(reply, `/checkout/${cart.id}/confirm`)
    if (!(await canView(world, request, reply, { own, order }))) {
      return redirectTo(reply, signInUrl(request.url))
    }
    const subscription = order.discount
      ? await billing.subscriptionOf(world.db, order.license_id)
      : undefined
    recordKeyShown(world, request, order)
    const page = SuccessPage({
      purchase: {
        ...own.purchase,
        amount: sum(order.amount, order.discount?.amount ?? ZERO),
        figures: figuresOfOrder(own, order, subscription),
      },
      csrf_token: csrfToken(world, request, reply),
      cart_id: cart.id,
      email: order.email,
      license_key: licensing.showKey(world.keys, order),
      return_url: returnAddress(world, app, { next_url: cart.next_url, order_id: order.id }),
      manage_url: manageUrl(app.id),
      is_trial: order.license_status === 'trialing',
      is_continued: order.prepaid_until !== null,
      resent: readResent(queryOf(request, 'receipt')),
      is_from_other_cart: isFromOtherCart(request),
    })
    return sendPage(reply, page)
  })

  scope.post(`${CART_PATH}/receipt`, async (request, reply) => {
    const { cart } = await requireOwnCart(world, request, reply)
    const base = `/checkout/${cart.id}/success`
    if (!cart.order_id) return redirectTo(reply, base)
    const resent = await resendReceipt(world, cart.order_id)
    const receipt = resent.outcome === 'sent' ? 'sent' : resent.retry_after
    return redirectTo(reply, `${base}?receipt=${receipt}`)
  })
}

/** The result of resending the receipt, from the query: sent, or the seconds to wait. */
function readResent(text: string | undefined): 'sent' | number | undefined {
  if (text === 'sent') return 'sent'
  return /^[1-9]\d{0,3}$/.test(text ?? '') ? Number(text) : undefined
}

/**
 * Whether this browser, which bought, may still see the purchase. A new account is signed in here
 * within the hour, for this app only, until it signs out. Once the email is confirmed, only the
 * account itself may see it.
 */
async function canView(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  facts: { own: OwnCart; order: billing.OrderDetails },
): Promise<boolean> {
  const { own, order } = facts
  const session = await currentSession(world, request)
  if (session?.user_id === order.user_id) return true
  const isNew = order.made_account && order.email_verified_at === null && !order.locked_at
  if (!isNew) return false
  if (!billing.maySignIn(appTime(world, own.app), own.cart)) return false
  if (session) return true
  const { user_id, app_id } = order
  const by = 'purchase'
  const proven = { user_id, app_id, return_to: undefined, is_complete: false, by } as const
  await startSession(world, request, reply, proven)
  // This page already shows the menu of the session that it starts.
  addNewAccountMenu(world, request, reply, order.email)
  return true
}

/** The amounts that were paid, whatever the price is now. */
function figuresOfOrder(
  { purchase, totals }: OwnCart,
  order: billing.OrderDetails,
  subscription: billing.Subscription | undefined,
) {
  const { amount, tax, charged, discount, period_end, is_waived } = order
  const total = sum(amount, tax)
  const [is_trial, is_prepaid] = [order.trial_days > 0, order.prepaid_until !== null]
  const { locale } = purchase
  return {
    ...purchase.figures,
    items: itemsOf(order, { subtotal: amount, discount }, locale),
    subtotal: amount,
    tax: tax,
    tax_label: taxLabel(order, locale),
    deduction: deductionOf(total, { is_trial, is_prepaid, is_waived }, locale),
    total: charged,
    total_label: locale.t('checkout.paid_today'),
    renewal: renewal(order, { ...later(totals, order, subscription), total, period_end }, locale),
  }
}

/** What later periods cost, and to how many of them the discount applies. */
function later(
  { full_total }: OwnCart['totals'],
  { amount, tax, discount }: billing.OrderDetails,
  subscription: billing.Subscription | undefined,
): Pick<LaterPeriods, 'full_total' | 'discounted_periods'> {
  if (!discount) return { full_total: sum(amount, tax), discounted_periods: null }
  const left = subscription?.discount_id ? subscription.discount_periods_left : 0
  return { full_total, discounted_periods: left }
}
