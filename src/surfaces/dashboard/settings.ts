import type { FastifyInstance } from 'fastify'
import type * as apps from '#domain/apps'
import * as sellers from '#domain/sellers'
import { archiveApp, restoreApp, saveAppDetails, unpublishApp } from '#flows/app'
import type { World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { APP_PATH, requireSellerTerms, type SellerTermsContext } from '#http/guards/seller'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import type { FieldFault } from '#platform/problem'
import { actorOf, appFactsOf } from './app-context.ts'
import { changesOf, OPENED } from './opened-form.ts'
import { formFaults } from './rows.ts'
import { SettingsPage } from './settings-page.tsx'

const SETTINGS = `${APP_PATH}/settings/`

/** An app's name and website, and whether it is published or archived. */
export function declareSettingsPage(scope: FastifyInstance, world: World): void {
  function show(
    context: SellerTermsContext,
    { form, opened }: { form: apps.AppDetails; opened: apps.AppDetails },
    found: FieldFault[] = [],
  ) {
    const { app, reply } = context
    const page = SettingsPage({
      ...appFactsOf(world, context, NOTES),
      form,
      opened,
      faults: formFaults(found),
      live_url: world.config.live_url,
      is_published: app.is_published,
      is_archived: app.archived_at !== null,
      can_transfer:
        !world.config.live_url && sellers.isAllowed(context.member.role, 'transfer_apps'),
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(SETTINGS, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    return show(context, { form: context.app, opened: context.app })
  })

  scope.post(SETTINGS, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const form = readDetails(formOf(request), app)
    const opened = readDetails(formOf(request), app, OPENED)
    const entered = changesOf(opened, form)
    const saved = await saveAppDetails(world, actorOf(context), { app_id: app.id, entered })
    if ('faults' in saved) return show(context, { form, opened }, saved.faults)
    const done = saved.removed.length > 0 ? 'moved' : 'saved'
    return redirectTo(reply, `${addressOf(saved.slug, 'settings')}?done=${done}`)
  })

  const change = (path: string, act: typeof archiveApp) =>
    scope.post(`${APP_PATH}/${path}`, async (request, reply) => {
      const context = await requireSellerTerms(world, request, reply)
      await act(world, actorOf(context), context.app.id)
      return redirectTo(reply, `${addressOf(context.app.slug, 'settings')}?done=${path}`)
    })
  change('unpublish', unpublishApp)
  change('archive', archiveApp)
  change('restore', restoreApp)
}

/** The posted details; the form of a published app has no slug. */
function readDetails(form: Record<string, string>, app: apps.App, prefix = ''): apps.AppDetails {
  const read = (name: keyof apps.AppDetails) => form[`${prefix}${name}`]
  return { name: read('name') ?? '', url: read('url') ?? '', slug: read('slug') ?? app.slug }
}

const NOTES: Record<string, string> = {
  saved: 'Saved.',
  moved: 'Saved. URLs on the previous website were removed. Enter the new ones under Integration.',
  unpublish: 'Unpublished. Buy links return “not found”.',
  archive: 'Archived.',
  restore: 'Restored. Publish the app when it is ready.',
}
