import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import type { Session } from '#domain/identity'
import * as licensing from '#domain/licensing'
import { mayBuyAs } from '#flows/checkout'
import { resendReceipt } from '#flows/resend-receipt'
import type { World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken, currentSession } from '#surfaces/browser'
import { MisconfiguredPage } from '#surfaces/error-page'
import { formOf, goTo, people, queryOf, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { ManagePage, NothingHerePage, PurchasesPage } from './pages.tsx'

/** What a buyer holds: all purchases, and the manage page of one app (spec: manage links). */
export function portal(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    scope.get('/account/', async (request, reply) => {
      const session = await currentSession(world, request)
      if (!session) return goTo(reply, signInUrl(request))
      const page = PurchasesPage({
        nav: await accountNav(world, session.user_id, 'purchases'),
        email: session.email,
        csrf_token: csrfToken(world, request, reply),
        purchases: await billing.purchasesOf(world.db, session),
        is_limited: session.app_id !== null,
      })
      return sendPage(reply, page)
    })

    scope.get('/manage/:client_id/', async (request, reply) => {
      const app = await readApp(world, request)
      const next = queryOf(request, 'next')
      const url = next ? apps.readReturnUrl(next, app.url) : undefined
      if (next && !url) {
        return sendPage(reply, MisconfiguredPage({ app_name: app.name }), { status: 400 })
      }
      const session = await sessionFor(world, request, app)
      if (!session) return goTo(reply, signInUrl(request))
      return await sendManage(world, request, reply, { app, session, next: url?.href ?? null })
    })

    scope.post('/manage/:client_id/receipt', async (request, reply) => {
      const app = await readApp(world, request)
      const next = formOf(request).next
      const here = (facts: Record<string, string>) =>
        `/manage/${app.id}/?${new URLSearchParams({ ...facts, ...(next ? { next } : {}) })}`
      const session = await sessionFor(world, request, app)
      if (!session) return goTo(reply, here({}))
      const holder = { app_id: app.id, user_id: session.user_id }
      const license = await licensing.findLatest(world.db, holder)
      const order_id = license && (await billing.orderOfLicense(world.db, license.license_id))
      if (!order_id) return goTo(reply, here({}))
      return goTo(reply, here({ receipt: await resendReceipt(world, order_id) }))
    })
  })
}

async function readApp({ db }: World, request: FastifyRequest): Promise<apps.App> {
  const { client_id } = request.params as { client_id: string }
  const app = await apps.find(db, client_id)
  if (!app?.is_published) throw refuse('not_found')
  return app
}

/** The session, as far as it may see this app's purchase. */
async function sessionFor(
  world: World,
  request: FastifyRequest,
  app: apps.App,
): Promise<Session | undefined> {
  const session = await currentSession(world, request)
  return session && mayBuyAs(session, session.user_id, app.id) ? session : undefined
}

function signInUrl(request: FastifyRequest): string {
  return `/signin/?return_to=${encodeURIComponent(request.url)}`
}

async function sendManage(
  world: World,
  request: FastifyRequest,
  reply: FastifyReply,
  { app, session, next }: { app: apps.App; session: Session; next: string | null },
): Promise<FastifyReply> {
  const { db, keys } = world
  const csrf_token = csrfToken(world, request, reply)
  const product_url = `/apps/${app.slug}/`
  const nav = await accountNav(world, session.user_id, 'purchases')
  const license = await licensing.findLatest(db, { app_id: app.id, user_id: session.user_id })
  if (!license) {
    const facts = { nav, app_name: app.name, product_url, csrf_token, email: session.email }
    return sendPage(reply, NothingHerePage(facts))
  }
  const order_id = await billing.orderOfLicense(db, license.license_id)
  const order = order_id ? await billing.tellOrder(db, order_id) : undefined
  const asked = queryOf(request, 'receipt')
  const resent = asked === 'sent' || asked === 'too_often' ? asked : 'offered'
  const page = ManagePage({
    nav,
    app_name: app.name,
    client_id: app.id,
    csrf_token,
    product_name: order?.product_name ?? '',
    status: license.status,
    amount_cents: order?.amount,
    frequency: order?.frequency ?? null,
    period_end: license.period_end,
    canceled_at: license.canceled_at,
    product_url,
    license_key: license.status === 'canceled' ? undefined : licensing.showKey(keys, license),
    next: next ?? undefined,
    back_url: next ?? app.oauth_login_url,
    receipt: order ? resent : 'none',
  })
  return sendPage(reply, page)
}
