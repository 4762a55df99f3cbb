/** The pages of the site, and the five routes that hosted sign-in needs. */
import { type Client, manageLink } from '@purser/client'
import type { FastifyInstance } from 'fastify'
import { HomePage } from '../shared/pages/home.tsx'
import { TidesPage } from '../shared/pages/tides.tsx'
import type { PriceList } from '../shared/prices.ts'
import type { Send } from '../shared/site.ts'
import { NoPlanPage, SignedOutPage } from './pages/gate.tsx'
import { CanceledPage, NotBegunHerePage, NotEnabledPage } from './pages/notice.tsx'
import { PlanCard } from './pages/plan-card.tsx'
import type { Plans } from './plans.ts'
import { type SignIn, SignInRefused } from './sign-in.ts'
import type { Visitors } from './visitors.ts'

export type Site = {
  client: Client
  send: Send
  sign_in: SignIn
  plans: Plans
  prices: () => Promise<PriceList>
  visitors: Visitors
  /** This site's own address, as browsers know it. */
  address: () => string
}

export function addRoutes(app: FastifyInstance, site: Site): void {
  addPages(app, site)
  addSignIn(app, site)
  addSignOut(app, site)
}

function addPages(app: FastifyInstance, site: Site): void {
  const { client, plans, prices, send, visitors, address } = site
  // Without a return address, buyers return to the login URL and are signed in.
  const shop = { base_url: client.base_url }

  app.get('/', async (request, reply) => {
    const signed_in = visitors.sessionOf(request) !== undefined
    const page = (
      <HomePage now={Date.now()} list={await prices()} shop={shop} signed_in={signed_in}>
        For buyers in the United States. You are signed in when you come back from the checkout, and
        your plan is known on every device on which you sign in.
      </HomePage>
    )
    return send(reply, 200, page)
  })

  app.get('/app', async (request, reply) => {
    const session = visitors.sessionOf(request)
    const list = await prices()
    if (!session) return send(reply, 403, <SignedOutPage list={list} shop={shop} />)
    const answer = await plans.planOf(session)
    if (answer.kind === 'not_enabled') return send(reply, 503, <NotEnabledPage />)
    if (answer.kind === 'signed_out') {
      visitors.signOut(request, reply)
      return send(reply, 403, <SignedOutPage list={list} shop={shop} was_signed_in />)
    }
    const { sub } = session.tokens
    const manage = manageLink(client.base_url, client.client_id, { next: `${address()}/app` })
    const card = <PlanCard entitlement={answer.entitlement} sub={sub} manage={manage} />
    if (answer.is_paid) return send(reply, 200, <TidesPage now={Date.now()}>{card}</TidesPage>)
    const page = (
      <NoPlanPage now={Date.now()} list={list} shop={shop} entitlement={answer.entitlement}>
        {card}
      </NoPlanPage>
    )
    return send(reply, 200, page)
  })
}

function addSignIn(app: FastifyInstance, { sign_in, send, visitors, address }: Site): void {
  // The login URL. A buyer who comes from the checkout is signed in at Purser, and returns
  // immediately.
  app.get('/login', async (request, reply) => {
    const begun = await sign_in.begin(`${address()}/auth/callback`)
    visitors.begin(request, reply, begun.attempt)
    return reply.redirect(begun.address, 303)
  })

  app.get('/auth/callback', async (request, reply) => {
    const arrived = new URL(request.url, address())
    const attempt = visitors.take(request, arrived.searchParams.get('state') ?? '')
    if (!attempt) return send(reply, 400, <NotBegunHerePage />)
    try {
      visitors.signIn(request, reply, await sign_in.finish(arrived, attempt))
    } catch (error) {
      // A wrong client secret is an error of this site, not of the visitor.
      if (!(error instanceof SignInRefused) || error.code === 'invalid_client') throw error
      return send(reply, 403, <CanceledPage canceled={error.code === 'access_denied'} />)
    }
    return reply.redirect('/app', 303)
  })
}

function addSignOut(app: FastifyInstance, { sign_in, visitors, address }: Site): void {
  app.post('/sign-out', async (request, reply) => {
    const session = visitors.sessionOf(request)
    if (!session) return reply.redirect('/', 303)
    // This site's session ends in any case; Purser asks whether to end its own as well.
    const onwards = await sign_in.signOut(session.tokens, `${address()}/`)
    visitors.signOut(request, reply)
    return reply.redirect(onwards, 303)
  })
}
