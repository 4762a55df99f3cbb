import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { owesTerms } from '#flows/seller'
import type { World } from '#flows/world'
import { csrfToken } from '#http/form-token'
import { chooseNamedSeller } from '#http/guards/named-seller'
import { currentMember, DASHBOARD } from '#http/guards/seller'
import { requireSession } from '#http/guards/session'
import { sendPage } from '#http/pages'
import { type AppCard, AppsPage } from './apps-page.tsx'

/** The home of the dashboard: the apps of the seller whose pages are open. */
export function declareHome(scope: FastifyInstance, world: World): void {
  const { db, clock } = world
  scope.get(DASHBOARD, async (request, reply) => {
    const context = await requireSession(world, request, reply, DASHBOARD)
    await chooseNamedSeller(world, context)
    const { user_id, email_normalized, viewing_seller_id } = context.session
    // Staff who are viewing a seller's pages do not see their own sellers.
    const is_own = viewing_seller_id === null
    const member = await currentMember(world, context)
    const seller_id = member?.seller_id
    const listed = async (is_archived: boolean) =>
      seller_id ? await apps.listOfSeller(db, { seller_id, is_archived }) : []
    const page = AppsPage({
      csrf_token: csrfToken(world, request, reply),
      member,
      sellers: is_own ? await sellers.membershipsOf(db, user_id) : [],
      ...(is_own ? await offersTo(world, email_normalized) : { invitations: 0, transfers: 0 }),
      cards: (await listed(false)).map((app) => cardOf(clock.now(), app)),
      archived: (await listed(true)).map(({ slug, name }) => ({ slug, name })),
      owes_terms: seller_id !== undefined && (await owesTerms(world, seller_id)),
    })
    return sendPage(reply, page)
  })
}

/** The number of pending invitations and app transfers for a person. */
async function offersTo({ db, clock }: World, email_normalized: string) {
  const now = clock.now()
  return {
    invitations: (await sellers.invitationsTo(db, now, email_normalized)).length,
    transfers: (await apps.transfersTo(db, now, email_normalized)).length,
  }
}

function cardOf(now: Date, app: apps.App): AppCard {
  const { slug, name, is_published, is_on_sale, is_suspended } = app
  return {
    slug,
    name,
    icon: apps.iconPath(app),
    host: apps.registeredHost(app.url),
    is_published,
    is_on_sale,
    is_suspended,
    has_add_on: apps.addOnOf(now, app).is_on,
  }
}
