import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { owedByCharge } from '#flows/charge-balances'
import { findContinuable } from '#flows/checkout'
import { type NextCharge, nextCharge, scheduledPrice } from '#flows/subscription'
import type { World } from '#flows/world'
import { buyPath } from '#http/buy-link'
import { type AppContext, findLicense, MANAGE_PATH } from '#http/guards/license'
import { queryOf } from '#http/input'
import { recordKeyShown } from '#http/key-shown'
import { sendPage } from '#http/pages'
import { pagingOf } from '#http/pagination'
import type { Locale } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import { sum, ZERO } from '#platform/money'
import { NothingHerePage } from './end-pages.tsx'
import { layoutFacts, type ManageContext, manageContextOf, mayPause } from './license-context.ts'
import type { ContinueFacts, ManageFacts, Renewing } from './manage-facts.ts'
import { ManagePage } from './manage-page.tsx'
import { noteOf } from './notes.ts'

const RECEIPTS_A_PAGE = 12

/** The manage page of an app (spec: manage links). */
export function declareManage(scope: FastifyInstance, world: World): void {
  scope.get(`${MANAGE_PATH}/`, async (request, reply) => {
    const { license, ...found } = await findLicense(world, request, reply)
    if (!license) return sendPage(reply, NothingHerePage(withoutLicense(found)))
    if (license.status !== 'canceled') recordKeyShown(world, request, license)
    const context = await manageContextOf(world, { ...found, license })
    return sendPage(reply, ManagePage(await factsOf(world, context)))
  })
}

function withoutLicense({ session, app, request, next }: AppContext) {
  return {
    locale: localeOf(request),
    app_name: app.name,
    product_url: apps.productPath(app),
    email: session.email,
    back_url: next ?? app.oauth_login_url,
  }
}

async function factsOf(world: World, context: ManageContext): Promise<ManageFacts> {
  const { db, keys } = world
  const { app, license, subscription, session, now, next: next_url } = context
  const { license_id, status } = license
  const locale = localeOf(context.request)
  const next = await nextCharge(world, license_id)
  const isOver = status === 'canceled'
  return {
    ...layoutFacts(world, context),
    ...(await planOf(world, context)),
    note: await noteOf(world, license_id, queryOf(context.request, 'done'), locale),
    status,
    paused_for: license.paused_for,
    is_disputed: status === 'paused' && (await payments.countOpenDisputes(db, license_id)) > 0,
    is_uncharged: licensing.isUncharged(license.origin),
    is_imported: license.origin === 'import',
    canceled_at: license.canceled_at,
    continuing: await continuingOf(world, context),
    renewing: subscription && (await renewingOf(world, subscription, { next, locale })),
    next: next && { ...next, state: next.subscription.state, is_about: !next.is_exact },
    may_change_plan: licensing.isRunning(status) && (await isAnyOtherSold(world, context)),
    may_pause: mayPause(context),
    may_rotate: session.app_id === null,
    license_key: licensing.showKey(keys, license),
    card: subscription && (await cardOf(world, subscription, { next, now, locale })),
    ...(await receiptFacts(world, context)),
    may_resend: !isOver && license.origin === 'purchase',
    back_url: next_url ?? app.oauth_login_url,
  }
}

/** A page of the receipts; what the buyer is owed is also of those on other pages. */
async function receiptFacts(
  { db }: World,
  { app, license: { user_id }, request }: ManageContext,
): Promise<Pick<ManageFacts, 'receipts' | 'owed' | 'paging'>> {
  const buyer = { user_id, app_id: app.id }
  const { count: total, is_buyer_owed } = await billing.summarizeReceipts(db, buyer)
  const paging = pagingOf(request, { total, size: RECEIPTS_A_PAGE })
  const parts = is_buyer_owed ? await owedByCharge(db, user_id) : []
  const ofApp = parts.filter(({ app_id }) => app_id === app.id)
  const receipts = (await billing.receiptsOf(db, buyer, paging)).map((receipt) => ({
    ...receipt,
    owed: ofApp.find(({ invoice_id }) => invoice_id === receipt.id)?.amount ?? ZERO,
  }))
  return { receipts, owed: sum(ZERO, ...ofApp.map(({ amount }) => amount)), paging }
}

/** Whether the app sells a price besides the buyer's own, which may no longer be sold. */
async function isAnyOtherSold(
  { db }: World,
  { app, subscription }: ManageContext,
): Promise<boolean> {
  const prices = await catalog.livePrices(db, app.id)
  return prices.some(({ id }) => id !== subscription?.price_id)
}

/** How an imported license can be continued with a card; undefined for any other. */
async function continuingOf(
  world: World,
  { app, license, session, next }: ManageContext,
): Promise<ContinueFacts | undefined> {
  const { user_id } = session
  if (license.origin !== 'import') return undefined
  const found = await findContinuable(world, app, { license, user_id })
  if (!found) return undefined
  const { license_id, paid_until, prices } = found
  const options = prices.map(({ id, amount, frequency }) => ({
    href: buyPath(id, { continue: license_id, next }),
    amount,
    frequency,
  }))
  return { paid_until, options }
}

/** The plan with its agreed price, and the link to buy it again. */
async function planOf(world: World, context: ManageContext) {
  const { app, next } = context
  const { price_id, ...plan } = await boughtPlan(world, context)
  const price =
    price_id &&
    (await apps.findOnSale(world.db, app.id)) &&
    (await catalog.findLivePrice(world.db, price_id))
  return { ...plan, buy_url: price ? buyPath(price.id, { next }) : apps.productPath(app) }
}

/** The plan and the price that was agreed; none if nothing was charged. */
async function boughtPlan({ db }: World, { license, subscription }: ManageContext) {
  const { license_id, product_id } = license
  if (licensing.isUncharged(license.origin)) {
    const product_name = await catalog.productName(db, product_id)
    return { product_name, frequency: null, amount: ZERO, price_id: undefined }
  }
  const paid = await billing.lastPaidInvoice(db, license_id)
  const order = (await billing.orderDetails(db, (await billing.orderOfLicense(db, license_id))!))!
  const price_id = subscription?.price_id ?? paid?.price_id ?? order.price_id
  const { product_name, frequency } = await catalog.getPrice(db, price_id)
  // The discount of a subscription may end, and is named beside its price.
  const amount = subscription?.amount ?? (paid ? billing.discountedPriceOf(paid) : order.amount)
  return { product_name, frequency, amount, price_id }
}

/** The discount on the next charge and later ones, in words; undefined if there is none. */
function discountText(
  { discount_periods_left: left }: billing.Subscription,
  { next, locale: { t } }: RenewingFacts,
): string | undefined {
  if (!next?.discount) return undefined
  const { code } = next.discount
  return left === null
    ? t('portal.discount_every', { code })
    : t('portal.discount_periods', { code, count: left })
}

interface RenewingFacts {
  next: NextCharge | undefined
  locale: Locale
}

async function renewingOf(
  { db }: World,
  subscription: billing.RunningSubscription,
  { next, locale }: RenewingFacts,
): Promise<Renewing> {
  const { auto_renew, pause_at_end, period_end, last_decline, past_due_since } = subscription
  const code = last_decline as payments.DeclineCode | null
  return {
    auto_renew,
    pause_at_end,
    period_end,
    is_first: subscription.period_index === 0,
    retry_at: billing.retryAt(subscription),
    gives_up_at: past_due_since ? billing.dunningEnd(past_due_since) : undefined,
    declined: code ? payments.declineSentence(code, locale) : undefined,
    needs_other_card: payments.needsOtherCard(code),
    pending: await scheduledPrice(db, subscription),
    discount: discountText(subscription, { next, locale }),
  }
}

async function cardOf(
  { db }: World,
  subscription: billing.RunningSubscription,
  { next, now, locale }: RenewingFacts & { now: Date },
): Promise<ManageFacts['card']> {
  const { card_id, period_end, auto_renew, pause_at_end } = subscription
  const card = await payments.getCard(db, card_id)
  const isRenewed = auto_renew && !pause_at_end && next?.why === 'renewal'
  return {
    name: payments.cardName(card, locale),
    expiry: payments.cardExpiry(card),
    expires_first:
      isRenewed && payments.expiresFirst(card, { at: period_end, now, amount: next.charged }),
  }
}
