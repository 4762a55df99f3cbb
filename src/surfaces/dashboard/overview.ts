import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { publishApp, requestApproval } from '#flows/app'
import { appTime, type World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { APP_PATH, requireSellerTerms } from '#http/guards/seller'
import { redirectTo, sendPage } from '#http/pages'
import { actorOf, appFactsOf } from './app-context.ts'
import { readFigures } from './figures.ts'
import { OverviewPage } from './overview-page.tsx'
import { readSetup } from './setup.ts'

/** The first page of an app, with its setup and its figures. */
export function declareOverview(scope: FastifyInstance, world: World): void {
  scope.get(`${APP_PATH}/`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app, member } = context
    const page = OverviewPage({
      ...appFactsOf(world, context, NOTES),
      setup: await readSetup(world, app),
      figures: await readFigures(world, request, {
        base: addressOf(app.slug, 'overview'),
        app_ids: [app.id],
        now: appTime(world, app),
        member,
        names_apps: false,
      }),
      is_archived: app.archived_at !== null,
      product_url: apps.productPath(app),
      can_edit: sellers.isAllowed(member.role, 'edit_apps'),
    })
    return sendPage(reply, page)
  })

  scope.post(`${APP_PATH}/publish`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const outcome = await publishApp(world, actorOf(context), context.app.id)
    return redirectTo(reply, `${addressOf(context.app.slug, 'overview')}?done=${outcome}`)
  })

  scope.post(`${APP_PATH}/approval`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const outcome = await requestApproval(world, actorOf(context), context.app.id)
    return redirectTo(reply, `${addressOf(context.app.slug, 'overview')}?done=${outcome}`)
  })
}

const NOTES: Record<string, string> = {
  created: 'App created.',
  published: 'Published.',
  requested: 'Approval requested. We email you when it is decided.',
  approved: 'External sales are already enabled.',
  needs_plan: 'Add a plan first.',
  archived: 'Restore the app in Settings first.',
}
