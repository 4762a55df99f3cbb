/** The pages of the site, and how an order becomes a session. */
import { type Client, manageLink, PurserError, type Validator } from '@purser/client'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { HomePage } from '../shared/pages/home.tsx'
import { TidesPage } from '../shared/pages/tides.tsx'
import { type PriceList, planName } from '../shared/prices.ts'
import type { Send } from '../shared/site.ts'
import { LapsedPage } from './pages/lapsed.tsx'
import { LicenseCard } from './pages/license-card.tsx'
import { NeedsLicensePage, ProcessingPage, UnknownOrderPage } from './pages/notice.tsx'
import { AdoptPage, SignInPage } from './pages/sign-in.tsx'
import type { Visitors } from './visitors.ts'

export type Site = {
  client: Client
  send: Send
  licenses: Validator
  prices: () => Promise<PriceList>
  visitors: Visitors
  /** This site's own address, as browsers know it. */
  address: () => string
}

type Exchange = [request: FastifyRequest, reply: FastifyReply]

export function addRoutes(app: FastifyInstance, site: Site): void {
  addPages(app, site)
  addArrivals(app, site)
  addSignIn(app, site)
}

function addPages(app: FastifyInstance, site: Site): void {
  const { licenses, prices, send, visitors } = site

  app.get('/', async (request, reply) => {
    const facts = { list: await prices(), shop: shopFor(site, request, reply) }
    const signed_in = visitors.keyOf(request) !== undefined
    const page = (
      <HomePage now={Date.now()} signed_in={signed_in} {...facts}>
        For buyers in the United States. Your license key arrives with the receipt and stays with
        you: it works on any device.
      </HomePage>
    )
    return send(reply, 200, page)
  })

  app.get('/app', async (request, reply) => {
    const manage = managePage(site)
    const facts = { list: await prices(), shop: shopFor(site, request, reply), manage }
    const key = visitors.keyOf(request)
    if (key === undefined) return send(reply, 403, <NeedsLicensePage {...facts} />)

    const license = await unless('unknown_key', licenses.validate(key))
    if (license === null) {
      visitors.signOut(request, reply)
      const fault = 'The key you used no longer works: it was replaced. Enter the new one.'
      return send(reply, 403, <NeedsLicensePage fault={fault} {...facts} />)
    }
    if (!license.entitled) return send(reply, 403, <LapsedPage license={license} {...facts} />)
    const plan = planName(facts.list, license.product_public_id)
    const page = (
      <TidesPage now={Date.now()}>
        <LicenseCard license={license} plan={plan} key_tail={key.slice(-4)} manage={manage} />
      </TidesPage>
    )
    return send(reply, 200, page)
  })
}

/** The returns from checkout: `next`, and the login URL for buyers without one. */
function addArrivals(app: FastifyInstance, site: Site): void {
  const { client, prices, send, visitors } = site

  app.get('/return', arrive)

  app.get('/login', async (request, reply) => {
    if (field(request.query, 'svc_order')) return arrive(request, reply)
    if (visitors.keyOf(request)) return reply.redirect('/app', 303)
    return send(reply, 200, <SignInPage manage={managePage(site)} />)
  })

  // The buyer's confirmation binds the order to this browser's nonce, as in a normal return.
  app.post('/return', async (request, reply) => {
    const svc_order = field(request.body, 'svc_order')
    const visit = visitors.visit(request, reply)
    return reply.redirect(`/return?${new URLSearchParams({ svc_order, visit })}`, 303)
  })

  async function arrive(...[request, reply]: Exchange) {
    const svc_order = field(request.query, 'svc_order')
    const order = await unless('unknown_order', client.order(svc_order, { wait_seconds: 3 }))
    if (order === null) return send(reply, 404, <UnknownOrderPage manage={managePage(site)} />)
    if (order.status === 'processing') {
      reply.header('refresh', Math.max(2, Math.ceil(order.retry_after)))
      return send(reply, 202, <ProcessingPage again={request.url} />)
    }
    const is_own =
      visitors.isOwnVisit(request, field(request.query, 'visit')) ||
      visitors.keyOf(request) === order.license_key
    if (is_own) {
      visitors.signIn(request, reply, order.license_key)
      return reply.redirect('/app', 303)
    }
    const plan = planName(await prices(), order.product_public_id)
    return send(reply, 200, <AdoptPage svc_order={svc_order} license={order} plan={plan} />)
  }
}

function addSignIn(app: FastifyInstance, site: Site): void {
  const { licenses, send, visitors } = site

  app.post('/login', async (request, reply) => {
    const key = field(request.body, 'license_key').trim()
    const state = key.startsWith('key_') && (await unless('unknown_key', licenses.validate(key)))
    if (!state) {
      const fault = 'Tidepool has no such key. Compare it with your receipt: it begins with key_.'
      const page = <SignInPage fault={fault} typed={key} manage={managePage(site)} />
      return send(reply, 422, page)
    }
    visitors.signIn(request, reply, key)
    return reply.redirect('/app', 303)
  })

  app.post('/sign-out', async (request, reply) => {
    const key = visitors.keyOf(request)
    if (key) await licenses.forget(key)
    visitors.signOut(request, reply)
    return reply.redirect('/', 303)
  })
}

/** What the buy links on a page need: they return to /return with this browser's nonce. */
function shopFor({ client, visitors, address }: Site, ...[request, reply]: Exchange) {
  const next = `${address()}/return?visit=${visitors.visit(request, reply)}`
  return { base_url: client.base_url, next }
}

function managePage({ client, address }: Site): string {
  return manageLink(client.base_url, client.client_id, { next: `${address()}/app` })
}

/** A field of a query or form; empty if it is missing or repeated. */
function field(source: unknown, name: string): string {
  const value = Object(source)[name]
  return typeof value === 'string' ? value : ''
}

/** Returns null for the one error code that is expected here. */
async function unless<T>(code: string, answer: Promise<T>): Promise<T | null> {
  try {
    return await answer
  } catch (error) {
    if (error instanceof PurserError && error.code === code) return null
    throw error
  }
}
