import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import * as licensing from '#domain/licensing'
import * as sellers from '#domain/sellers'
import * as tax from '#domain/tax'
import {
  type ContinuableLicense,
  type Details,
  findPricedApp,
  mayBuyAs,
  openCart,
} from '#flows/checkout'
import type { World } from '#flows/world'
import { broughtBy, recordReferrer, referrerOf, viaService } from '#http/attribution'
import { browserHash } from '#http/browser'
import { buyPath, readNext } from '#http/buy-link'
import { MisconfiguredPage } from '#http/error-page'
import { faultOf } from '#http/form-errors'
import { csrfToken } from '#http/form-token'
import { CART_PATH } from '#http/guards/cart'
import { formOf, isRepeated, paramsOf, queryOf } from '#http/input'
import { byIp } from '#http/limit-keys'
import { AnsweredByGuard, redirectTo, sendPage } from '#http/pages'
import { redirectAfterForm } from '#http/redirect'
import { currentSession } from '#http/session'
import { readId } from '#platform/ids'
import type { Locale } from '#platform/language/locale'
import { localeOf } from '#platform/language/request'
import type { RouteLimit } from '#platform/route-limits'
import { shortZip } from '#platform/text'
import { requireContinued } from './continued.ts'
import { ownerAddress } from './destination.ts'
import { appliedOf, CODE_LENGTH, countTry, mayTry, notAppliedOf, tryCode } from './discount.ts'
import { NotForSalePage } from './end-pages.tsx'
import { figuresBeforeTax } from './figures.ts'
import { type BuyLink, purchaseOf, requireOwnCart } from './purchase.ts'
import { afterPay } from './step-elsewhere.ts'
import { DetailsPage, type Faults } from './step-pages.tsx'

const BUY_PATH = '/buy/:price_id/'
const OPENINGS: RouteLimit = { name: 'checkout-open', points: 120, seconds: 60, key: byIp }

/** The first step of checkout, at the buy link. */
export function declareBuy(scope: FastifyInstance, world: World): void {
  declareOpening(scope, world)
  declareDetails(scope, world)

  const config = { limits: [OPENINGS] }
  scope.post(BUY_PATH, { config }, async (request, reply) => {
    const form = formOf(request)
    const link = await readLink(world, request, form.next)
    if (!link.next_ok) return misconfigured(reply, link.app)
    const session = await currentSession(world, request)
    // A preview always belongs to the seller's own account, whatever email is entered.
    const is_preview = await sellers.isMember(world.db, link.app.seller_id, session)
    const named = { session, license_id: form.continue }
    const continued = await requireContinued(world, link, named)
    const email = is_preview || continued ? session!.email : form.email
    const read = readDetails({ ...form, email: email ?? '' }, localeOf(request))
    if ('faults' in read) {
      const { faults } = read
      const country = tax.isTerritory(form.country ?? '') ? 'US' : form.country
      const values = { ...form, country }
      return sendDetails(world, request, reply, link, { session, values, faults, continued })
    }
    const isTried = await mayTry(world, request, form.discount)
    const opened = await openCart(world, {
      app: link.app,
      price: link.price,
      details: read.details,
      browser_hash: browserHash(world, request, reply),
      next_url: link.next_url,
      session,
      affiliate_id: referrerOf(world, request),
      brought_by: broughtBy(world, link.price.id, form.via),
      discount_code: isTried ? (form.discount ?? null) : null,
      language: localeOf(request).language,
      continues_license_id: continued?.license_id,
    })
    if (opened.step === 'owner') {
      const address = await ownerAddress(world, link.app, opened.license, link.next_url)
      return redirectAfterForm(reply, address, 'owned')
    }
    if (opened.is_code_unknown) await countTry(world, request)
    const step = opened.step === 'sign_in' ? 'sign-in' : 'card'
    return redirectTo(reply, `/checkout/${opened.cart_id}/${step}`)
  })
}

/** Opens a buy link. */
function declareOpening(scope: FastifyInstance, world: World): void {
  scope.get(BUY_PATH, async (request, reply) => {
    const link = await readLink(world, request, queryOf(request, 'next'))
    if (!link.next_ok) return misconfigured(reply, link.app)
    await recordReferrer(world, request, reply, link.app.id)
    const session = await currentSession(world, request)
    const named = { session, license_id: queryOf(request, 'continue') }
    const continued = await requireContinued(world, link, named)
    const owner = continued ? undefined : await ownedBy(world, session, link)
    if (owner) return redirectTo(reply, owner)
    const is_preview = await sellers.isMember(world.db, link.app.seller_id, session)
    const requested = is_preview ? undefined : queryOf(request, 'email')
    const values = {
      email: requested ?? emailFor(session, link.app),
      via: queryOf(request, 'via'),
      discount: queryOf(request, 'discount'),
      continue: continued?.license_id,
    }
    return sendDetails(world, request, reply, link, { session, values, faults: {}, continued })
  })
}

/** The first step again, to change the details of a cart. */
function declareDetails(scope: FastifyInstance, world: World): void {
  scope.get(`${CART_PATH}/details`, async (request, reply) => {
    const { cart, app, price, attempt } = await requireOwnCart(world, request, reply)
    const paid = afterPay({ cart, attempt })
    if (paid) return redirectTo(reply, paid)
    const isOnSale = await apps.findOnSale(world.db, app.id)
    const now = isOnSale && (await catalog.findLivePrice(world.db, price.id))
    if (!now) throw notForSale()
    const session = await currentSession(world, request)
    const link = { app, price: now, next_url: cart.next_url }
    const license_id = cart.continues_license_id ?? undefined
    const continued = await requireContinued(world, link, { session, license_id })
    return sendDetails(world, request, reply, link, {
      session,
      continued,
      values: {
        email: cart.email!,
        country: cart.country!,
        zip: cart.zip!,
        discount: cart.discount_code ?? undefined,
        continue: license_id,
        via: cart.brought_by === 'service' ? viaService(world, price.id) : undefined,
      },
      faults: {},
      has_expired: billing.hasExpired(world.clock.now(), cart),
    })
  })
}

/** Reads a buy link; throws 404 unless its app is on sale (spec: Buy and manage links). */
async function readLink(
  { db }: World,
  request: FastifyRequest,
  next: string | undefined,
): Promise<BuyLink & { next_ok: boolean }> {
  const price_id = readId('prc', paramsOf(BUY_PATH, request).price_id)
  const priced = price_id && (await findPricedApp(db, price_id))
  if (!priced?.app.is_on_sale) throw notForSale()
  const { app, price } = priced
  const { next_url, is_valid } = readNext(app, next)
  return { app, price, next_url, next_ok: is_valid && !isRepeated(request, 'next') }
}

/** The same for every reason, as the API answers. */
function notForSale(): AnsweredByGuard {
  return new AnsweredByGuard((reply) =>
    sendPage(reply, NotForSalePage({ locale: localeOf(reply.request) }), { status: 404 }),
  )
}

function misconfigured(reply: FastifyReply, app: apps.App): FastifyReply {
  const page = MisconfiguredPage({ ...apps.brandOf(app), locale: localeOf(reply.request) })
  return sendPage(reply, page, { status: 400 })
}

async function sendDetails(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { app, price, next_url }: BuyLink,
  step: {
    session: identity.Session | undefined
    values: Record<string, string | undefined>
    faults: Faults
    continued: ContinuableLicense | undefined
    /** True if the buyer comes from an expired cart. */
    has_expired?: boolean
  },
): Promise<FastifyReply> {
  const is_preview = await sellers.isMember(world.db, app.seller_id, step.session)
  const code = step.values.discount?.slice(0, CODE_LENGTH)
  // What depends on the buyer is checked once they have signed in.
  const wanted = { app, price, code, email_normalized: null, cart_id: null }
  const { read, is_tried } = await tryCode(world, request, wanted)
  const locale = localeOf(request)
  const untried =
    code && !is_tried
      ? { code, refusal: 'too_many' as const, reason: locale.t('discount.too_many') }
      : undefined
  const { continued } = step
  const figures = figuresBeforeTax(price, appliedOf(read), locale, continued?.paid_until)
  const page = DetailsPage({
    purchase: purchaseOf(world, { app, price, is_preview, locale }, figures),
    csrf_token: csrfToken(world, request, reply),
    action: buyPath(price.id),
    next: next_url ?? undefined,
    values: { ...step.values, discount: code },
    faults: step.faults,
    has_expired: step.has_expired ?? false,
    not_applied: untried ?? notAppliedOf(read, locale),
    preview_email: is_preview ? step.session!.email : undefined,
    continued: continued && { ...continued, email: step.session!.email },
  })
  const hasFaults = Object.keys(step.faults).length > 0
  return sendPage(reply, page, { status: hasFaults ? 422 : 200 })
}

async function ownedBy(
  world: World,
  session: identity.Session | undefined,
  { app, next_url }: BuyLink,
): Promise<string | undefined> {
  if (!session || !mayBuyAs(session, session.user_id, app.id)) return undefined
  const { email_normalized } = session
  const license = await licensing.findLive(world.db, { app_id: app.id, email_normalized })
  return license && (await ownerAddress(world, app, license, next_url))
}

function emailFor(session: identity.Session | undefined, app: apps.App): string | undefined {
  return session && mayBuyAs(session, session.user_id, app.id) ? session.email : undefined
}

function readDetails(
  form: Record<string, string>,
  locale: Locale,
): { details: Details } | { faults: Faults } {
  const { t } = locale
  const faults: Faults = {}
  const email = identity.readEmail(form.email ?? '')
  if (!email) faults.email = faultOf('email', locale)
  const { country = '' } = form
  const isUs = country === 'US'
  if (!isUs) {
    faults.country = tax.isTerritory(country)
      ? t('checkout.fault_territory', { territory: locale.country(country) })
      : t('checkout.fault_country')
  }
  const zip = shortZip((form.zip ?? '').trim())
  const state = tax.stateOfZip(zip)
  if (isUs && !state) faults.zip = t('checkout.fault_zip')
  if (!email || !state || !isUs) return { faults }
  return { details: { ...email, zip, state } }
}
