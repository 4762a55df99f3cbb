import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { nextCharge } from '#flows/subscription'
import type { World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken, currentSession } from '#surfaces/browser'
import { returnQuery } from '#surfaces/onwards'
import { goTo, queryOf, sendPage } from '#surfaces/pages'
import { type Outlook, PurchasesPage } from './purchases-page.tsx'

const ON_A_PAGE = 20

/** A page's last purchase as the next page's address names it. */
function cursor({ created_at, order_id }: billing.PurchaseCursor): string {
  return `${created_at.getTime()}-${order_id}`
}

function cursorOf(text: string | undefined): billing.PurchaseCursor | undefined {
  const [, time, order_id] = /^(\d{1,14})-(ord_\w{1,40})$/.exec(text ?? '') ?? []
  return order_id === undefined ? undefined : { created_at: new Date(Number(time)), order_id }
}

/** Everything that an account bought, from any seller. */
export function declarePurchases(scope: FastifyInstance, world: World): void {
  scope.get('/account/', async (request, reply) => {
    const session = await currentSession(world, request)
    if (!session) return goTo(reply, `/signin/${returnQuery(request.url)}`)
    const after = cursorOf(queryOf(request, 'after'))
    const limit = ON_A_PAGE + 1
    const found = await billing.purchasesOf(world.db, session, { after, limit })
    const purchases = []
    for (const purchase of found.slice(0, ON_A_PAGE)) {
      purchases.push({ ...purchase, outlook: await outlookOf(world, purchase) })
    }
    const last = purchases.at(-1)
    const page = PurchasesPage({
      nav: await accountNav(world, session.user_id, 'purchases'),
      email: session.email,
      csrf_token: csrfToken(world, request, reply),
      purchases,
      older_url: last && found.length > ON_A_PAGE ? `/account/?after=${cursor(last)}` : undefined,
      is_limited: session.app_id !== null,
    })
    return sendPage(reply, page)
  })
}

/** What comes next of a purchase; undefined where nothing does. */
async function outlookOf(
  world: World,
  { license_id, app_id, status }: billing.Purchase,
): Promise<Outlook | undefined> {
  const { db } = world
  if (status === 'canceled') {
    const { canceled_at } = await licensing.findLicense(db, license_id)
    return canceled_at ? { word: 'Ended', day: canceled_at } : undefined
  }
  const subscription = await billing.subscriptionOf(db, license_id)
  if (!subscription || status === 'paused') return undefined
  const app = (await apps.find(db, app_id))!
  const next = await nextCharge(world, { license_id, app })
  if (!next) return undefined
  if (next.why === 'owed') return { word: 'Owed', cents: next.total }
  const { period_end: day } = subscription
  if (!subscription.auto_renew) return { word: 'Ends', day }
  if (subscription.pause_at_end) return { word: 'Pauses', day }
  const word = status === 'trialing' ? 'First charge' : 'Next charge'
  return { word, cents: next.total, is_about: !next.is_exact, day }
}
