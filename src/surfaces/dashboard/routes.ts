import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { owesTerms } from '#flows/accept-terms'
import { allowPauses, rotateSecret, saveAddresses, switchAddOn } from '#flows/integration'
import { endPreview, startPreview } from '#flows/preview'
import type { World } from '#flows/world'
import { accountNav } from '#surfaces/account-nav'
import { csrfToken } from '#surfaces/browser'
import { formOf, goTo, people, sendPage } from '#surfaces/pages'
import { refuse } from '#surfaces/refusals'
import { recently } from '#surfaces/visits'
import { type AppVisit, editorOf, forAccount, forDeveloper } from './access.ts'
import { declareChanges } from './changes.ts'
import { declareEmails } from './emails.ts'
import { addressOf } from './frame.tsx'
import { addressesOf, fieldOf, formOfAddresses, integrationOf } from './integration.ts'
import { IntegrationPage } from './integration-page.tsx'
import { declareListing } from './listing.ts'
import { AppsPage } from './pages.tsx'
import { declarePlans } from './plans.ts'
import { AskSecretPage, NewSecretPage } from './secret-pages.tsx'
import { declareTerms } from './terms.ts'

const INTEGRATION = '/dashboard/apps/:slug/integration/'

/** A seller's own pages: the apps, and the settings of each (spec: Integration settings). */
export function dashboard(app: FastifyInstance, world: World): void {
  people(app, world, (scope) => {
    scope.get(
      '/dashboard/',
      forAccount(world, async ({ reply, session }) => {
        const now = world.clock.now()
        const cards = (await apps.listOf(world.db, session.user_id)).map((each) => ({
          slug: each.slug,
          name: each.name,
          host: apps.registeredHost(each.url),
          is_published: each.is_published,
          is_on_sale: each.is_published && each.external_sales_enabled,
          has_add_on: apps.addOnOf(now, each).is_on,
        }))
        const { user_id } = session
        const sells = (await apps.sellerOf(world.db, user_id)) !== undefined
        const owes_terms = sells && (await owesTerms(world, user_id))
        const nav = await accountNav(world, user_id, 'apps')
        return sendPage(reply, AppsPage({ nav, cards, owes_terms }))
      }),
    )
    scope.get(
      '/dashboard/apps/:slug/',
      forDeveloper(world, async ({ reply, app }) => {
        // Without a plan there is nothing to sell, so that comes first.
        const sells = (await catalog.products(world.db, app.id)).length > 0
        return goTo(reply, addressOf(app.slug, sells ? 'listing' : 'plans'))
      }),
    )
    declareEmails(scope, world)
    declareTerms(scope, world)
    declarePlans(scope, world)
    declareListing(scope, world)
    declareChanges(scope, world)
    declareSettings(scope, world)
    declareSecret(scope, world)
    declareSwitches(scope, world)
  })
}

function pathOf({ app }: AppVisit): string {
  return INTEGRATION.replace(':slug', app.slug)
}

function declareSettings(scope: FastifyInstance, world: World): void {
  scope.get(
    INTEGRATION,
    forDeveloper(world, async (visit) => {
      const facts = await integrationOf(world, visit, NOTES)
      const page = IntegrationPage({ ...facts, base: pathOf(visit), faults: [] })
      return sendPage(visit.reply, page)
    }),
  )

  scope.post(
    INTEGRATION,
    forDeveloper(world, async (visit) => {
      const { request, reply, app } = visit
      const form = formOf(request)
      const addresses = addressesOf(form)
      const saved = await saveAddresses(world, editorOf(visit), { app, changes: addresses })
      if (!('faults' in saved)) return goTo(reply, `${pathOf(visit)}?done=addresses`)
      const facts = await integrationOf(world, visit, NOTES)
      const page = IntegrationPage({
        ...facts,
        base: pathOf(visit),
        form: formOfAddresses(addresses),
        faults: saved.faults.map(({ path, message }) => ({ id: fieldOf(path), message })),
      })
      return sendPage(reply, page, { status: 422 })
    }),
  )
}

function declareSecret(scope: FastifyInstance, world: World): void {
  async function ask(visit: AppVisit, is_stale: boolean) {
    const { request, reply, app } = visit
    const page = AskSecretPage({
      app_name: app.name,
      back: pathOf(visit),
      action: `${pathOf(visit)}secret/`,
      csrf_token: csrfToken(world, request, reply),
      replaces: apps.secretName(await apps.findClientOf(world.db, app.id)),
      is_stale,
    })
    return sendPage(reply, page, { status: is_stale ? 409 : 200 })
  }

  scope.get(
    `${INTEGRATION}secret/`,
    forDeveloper(
      world,
      recently(world, (visit) => ask(visit, false)),
    ),
  )

  scope.post(
    `${INTEGRATION}secret/`,
    forDeveloper(
      world,
      recently(world, async (visit) => {
        const { request, reply, app } = visit
        const replaces = formOf(request).replaces ?? ''
        const asked = { app_id: app.id, replaces }
        const client_secret = await rotateSecret(world, editorOf(visit), asked)
        if (client_secret === undefined) return await ask(visit, true)
        const page = NewSecretPage({ app_name: app.name, back: pathOf(visit), client_secret })
        return sendPage(reply, page)
      }),
    ),
  )
}

function declareSwitches(scope: FastifyInstance, world: World): void {
  scope.post(
    `${INTEGRATION}add-on`,
    forDeveloper(world, async (visit) => {
      const to = stateOf(formOf(visit.request).to)
      await switchAddOn(world, editorOf(visit), { app_id: visit.app.id, to })
      return goTo(visit.reply, `${pathOf(visit)}?done=add_on_${to}`)
    }),
  )

  scope.post(
    `${INTEGRATION}pausing`,
    forDeveloper(world, async (visit) => {
      const to = stateOf(formOf(visit.request).to)
      await allowPauses(world, editorOf(visit), { app_id: visit.app.id, to })
      return goTo(visit.reply, `${pathOf(visit)}?done=pausing_${to}`)
    }),
  )

  scope.post(
    `${INTEGRATION}preview`,
    forDeveloper(world, async (visit) => {
      const { request, reply, session, app } = visit
      const { to: wish, product_id = '' } = formOf(request)
      const to = stateOf(wish)
      const asker = { session, request_id: request.id }
      if (to === 'off') await endPreview(world, asker, { app })
      else if (!(await startPreview(world, asker, { app, product_id }))) throw refuse('not_found')
      return goTo(reply, `${pathOf(visit)}?done=preview_${to}`)
    }),
  )
}

function stateOf(text: string | undefined): 'on' | 'off' {
  if (text !== 'on' && text !== 'off') throw refuse('invalid_request')
  return text
}

const NOTES: Record<string, string> = {
  addresses: 'The addresses are saved.',
  add_on_on: 'Hosted sign-in is on: your app may ask for the plan of whoever signs in.',
  add_on_off: 'Hosted sign-in is off. People can still sign in.',
  pausing_on: 'Your buyers can pause their plans.',
  pausing_off: 'Your buyers can no longer pause their plans. Pauses that were made stay.',
  preview_on: 'Your preview has started.',
  preview_off: 'Your preview has ended, and its key opens nothing any more.',
}
