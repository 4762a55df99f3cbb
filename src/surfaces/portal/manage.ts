import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import { nextCharge, plannedOffer } from '#flows/subscription'
import type { World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken } from '#surfaces/browser'
import { queryOf, sendPage } from '#surfaces/pages'
import { pagingOf } from '#surfaces/paging'
import { noteKeyShown } from '#surfaces/uses'
import { NothingHerePage } from './end-pages.tsx'
import { forHolder, frameOf, type HolderVisit, type Stranger } from './holder.ts'
import { type ManageFacts, ManagePage, type Renewing } from './manage-page.tsx'
import { noteOf } from './notes.ts'

const RECEIPTS_A_PAGE = 12

/** The manage page of one app (spec: manage links). */
export function declareManage(scope: FastifyInstance, world: World): void {
  const page = async (visit: HolderVisit) => {
    const { request, reply, license } = visit
    if (license.status !== 'canceled') noteKeyShown(world, request, license)
    return sendPage(reply, ManagePage(await factsOf(world, visit)))
  }
  const nothing = async ({ request, reply, session, app }: Stranger) => {
    const facts = {
      nav: await accountNav(world, session.user_id, 'purchases'),
      app_name: app.name,
      product_url: `/apps/${app.slug}/`,
      csrf_token: csrfToken(world, request, reply),
      email: session.email,
    }
    return sendPage(reply, NothingHerePage(facts))
  }
  scope.get('/manage/:client_id/', forHolder(world, page, nothing))
}

async function factsOf(world: World, visit: HolderVisit): Promise<ManageFacts> {
  const { db, keys } = world
  const { app, license, subscription, session, next: next_url } = visit
  const { license_id, status, user_id } = license
  const next = await nextCharge(world, { license_id, app })
  const isOver = status === 'canceled'
  const buyer = { user_id, app_id: app.id }
  const total = await billing.countReceipts(db, buyer)
  const paging = pagingOf(visit.request, { total, size: RECEIPTS_A_PAGE })
  const isRunning = status === 'active' || status === 'trialing'
  return {
    ...(await frameOf(world, visit)),
    ...(await planOf(world, visit)),
    note: await noteOf(world, license_id, queryOf(visit.request, 'done')),
    status,
    paused_for: license.paused_for,
    canceled_at: license.canceled_at,
    renewing: subscription && (await renewingOf(world, subscription)),
    next: next && { ...next, is_about: !next.is_exact },
    may_change_plan: isRunning && (await catalog.offers(db, app.id)).length > 1,
    may_pause: app.allows_pause && status === 'active' && (subscription?.auto_renew ?? false),
    may_rotate: session.app_id === null,
    license_key: isOver ? undefined : licensing.showKey(keys, license),
    card: subscription && (await cardOf(world, subscription)),
    receipts: await billing.receiptsOf(db, buyer, paging),
    paging,
    may_resend: !isOver,
    back_url: next_url ?? app.oauth_login_url,
  }
}

/** The plan that is held, what was agreed to be paid for it, and where it is bought again. */
async function planOf({ db }: World, { app, license, subscription, next }: HolderVisit) {
  const { license_id } = license
  const paid = await billing.lastPaidInvoice(db, license_id)
  const order = (await billing.tellOrder(db, (await billing.orderOfLicense(db, license_id))!))!
  const price_id = subscription?.price_id ?? paid?.price_id ?? order.price_id
  const { product_name, frequency } = await catalog.findBought(db, price_id)
  const isSold = await apps.findOnSale(db, app.id)
  const offer = isSold && (await catalog.findOffer(db, price_id))
  const product_url = app.is_published ? `/apps/${app.slug}/` : undefined
  const query = next === undefined ? '' : `?${new URLSearchParams({ next })}`
  return {
    product_name,
    frequency,
    amount: subscription?.amount ?? paid?.price_amount ?? order.amount,
    buy_url: offer ? `/buy/${price_id}/${query}` : product_url,
  }
}

async function renewingOf(
  { db }: World,
  subscription: billing.RunningSubscription,
): Promise<Renewing> {
  const { auto_renew, pause_at_end, period_end, last_decline, past_due_since } = subscription
  const { next_at } = subscription
  const code = last_decline as payments.DeclineCode | null
  return {
    auto_renew,
    pause_at_end,
    period_end,
    retry_at: billing.isHardDecline(code) ? null : next_at,
    gives_up_at: past_due_since ? billing.dunningEnd(past_due_since) : undefined,
    declined: code ? payments.declineSentence(code) : undefined,
    pending: await plannedOffer(db, subscription),
  }
}

async function cardOf({ db }: World, { card_id }: billing.Subscription) {
  const card = await payments.findCard(db, card_id)
  const month = String(card.exp_month).padStart(2, '0')
  return { name: payments.cardName(card), expiry: `${month}/${card.exp_year % 100}` }
}
