import type { FastifyInstance } from 'fastify'
import * as billing from '#domain/billing'
import { type NextCharge, nextCharges, type Taxed } from '#flows/subscription'
import type { World } from '#flows/world'
import { requireAnySession } from '#http/guards/session'
import { queryOf } from '#http/input'
import { sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import { localeOf } from '#platform/language/request'
import { type Outlook, PurchasesPage } from './purchases-page.tsx'

const ON_A_PAGE = 20

/** The last purchase of a page, encoded for the next page's address. */
function cursorText({ created_at, license_id }: billing.PurchaseCursor): string {
  return `${created_at.getTime()}-${license_id}`
}

function readCursor(text: string | undefined): billing.PurchaseCursor | undefined {
  const [, time, id] = /^(\d{1,14})-(\w+)$/.exec(text ?? '') ?? []
  const license_id = readId('lic', id)
  return license_id && { created_at: new Date(Number(time)), license_id }
}

/** The purchases of an account, from any seller. */
export function declarePurchases(scope: FastifyInstance, world: World): void {
  scope.get('/account/', async (request, reply) => {
    const { session } = await requireAnySession(world, request, reply, '/account/')
    const after = readCursor(queryOf(request, 'after'))
    const limit = ON_A_PAGE + 1
    const found = await billing.purchasesOf(world.db, session, { after, limit })
    const purchases = await withOutlooks(world, found.slice(0, ON_A_PAGE))
    const last = purchases.at(-1)
    const page = PurchasesPage({
      locale: localeOf(request),
      email: session.email,
      purchases,
      older_url:
        last && found.length > ON_A_PAGE ? `/account/?after=${cursorText(last)}` : undefined,
      is_limited: session.app_id !== null,
    })
    return sendPage(reply, page)
  })
}

/** Purchases with their next charge or end, with a fixed number of queries. */
async function withOutlooks(world: World, purchases: billing.Purchase[]) {
  const running = purchases.filter(({ status }) => status !== 'canceled' && status !== 'paused')
  const ids = running.map(({ license_id }) => license_id)
  const subscriptions = await billing.subscriptionsOf(world.db, ids)
  const charges = await nextCharges(world, [...subscriptions.values()])
  return purchases.map((purchase) => {
    const subscription = subscriptions.get(purchase.license_id)
    const next = subscription && charges.get(subscription.id)
    return { ...purchase, outlook: outlookOf(purchase, subscription, next) }
  })
}

/** The next charge or the end of a purchase, if there is one. */
function outlookOf(
  { status, is_given, is_imported, canceled_at }: billing.Purchase,
  subscription: billing.Subscription | undefined,
  next: (Taxed & Pick<NextCharge, 'why'>) | undefined,
): Outlook | undefined {
  if (status === 'canceled') return canceled_at ? { kind: 'ended', day: canceled_at } : undefined
  if (is_given || is_imported) return canceled_at ? { kind: 'ends', day: canceled_at } : undefined
  if (!subscription || !next) return undefined
  if (next.why === 'owed') return { kind: 'amount_due', amount: next.total }
  const { period_end: day } = subscription
  if (!subscription.auto_renew) return { kind: 'ends', day }
  if (subscription.pause_at_end) return { kind: 'pauses', day }
  const kind = subscription.period_index === 0 ? 'first_charge' : 'next_charge'
  return { kind, amount: next.charged, is_about: !next.is_exact, day }
}
