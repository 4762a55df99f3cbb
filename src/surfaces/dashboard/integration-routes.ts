import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import { checkIntegration } from '#flows/check-integration'
import { allowPauses, rotateSecret, saveAddresses, switchAddOn } from '#flows/integration'
import { endPreview, startPreview } from '#flows/preview'
import type { World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { csrfToken } from '#http/form-token'
import {
  APP_PATH,
  requireSeller,
  requireSellerTerms,
  type SellerContext,
} from '#http/guards/seller'
import { requireRecentProof } from '#http/guards/session'
import { formOf, requireId, requireSwitch } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { refuse } from '#http/refusals'
import type { Limit } from '#platform/limits'
import { actorOf } from './app-context.ts'
import { addressesOf, fieldOf, formOfAddresses, integrationOf } from './integration.ts'
import { IntegrationPage } from './integration-page.tsx'
import { changesOf, OPENED } from './opened-form.ts'
import { NewSecretPage, RotateSecretPage } from './secret-pages.tsx'

const INTEGRATION = `${APP_PATH}/integration/`
// Each run asks a server that the seller named.
const CHECKS: Limit = { name: 'integration-checks', points: 10, seconds: 600 }

/** An app's integration page: URLs, secret, switches, checks (spec: Integration settings). */
export function declareIntegration(scope: FastifyInstance, world: World): void {
  declareSettings(scope, world)
  declareSecret(scope, world)
  declareSwitches(scope, world)
}

function pathOf({ app }: Pick<SellerContext, 'app'>): string {
  return addressOf(app.slug, 'integration')
}

function declareSettings(scope: FastifyInstance, world: World): void {
  scope.get(INTEGRATION, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const facts = await integrationOf(world, context, NOTES)
    const page = IntegrationPage({ ...facts, base: pathOf(context), faults: [] })
    return sendPage(reply, page)
  })

  scope.post(`${INTEGRATION}checks`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app, session } = context
    await limitPage(world, CHECKS, app.id, reply)
    await checkIntegration(world, { app, user_id: session.user_id })
    return redirectTo(reply, `${pathOf(context)}?done=checks#checks`)
  })

  scope.post(INTEGRATION, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const form = formOf(request)
    const addresses = addressesOf(form)
    const opened = addressesOf(form, OPENED)
    const changes = changesOf(opened, addresses)
    const saved = await saveAddresses(world, actorOf(context), { app, changes })
    if (!('faults' in saved)) return redirectTo(reply, `${pathOf(context)}?done=addresses`)
    const facts = await integrationOf(world, context, NOTES)
    const page = IntegrationPage({
      ...facts,
      base: pathOf(context),
      form: formOfAddresses(addresses),
      opened: formOfAddresses(opened),
      faults: saved.faults.map(({ path, message }) => ({ id: fieldOf(path), message })),
    })
    return sendPage(reply, page, { status: 422 })
  })
}

function declareSecret(scope: FastifyInstance, world: World): void {
  async function sendRotation(context: SellerContext, is_stale: boolean) {
    const { request, reply, app } = context
    const client = await apps.getClientOf(world.db, app.id)
    const page = RotateSecretPage({
      ...apps.brandOf(app),
      back: pathOf(context),
      action: `${pathOf(context)}secret/`,
      csrf_token: csrfToken(world, request, reply),
      replaces: apps.secretName(client),
      is_first: client.secret_hash === null,
      is_stale,
    })
    return sendPage(reply, page, { status: is_stale ? 409 : 200 })
  }

  scope.get(`${INTEGRATION}secret/`, async (request, reply) => {
    // A form without settings to view, so only members who can send it get it.
    const context = await requireSeller(world, request, reply, 'edit_apps')
    requireRecentProof(world, context)
    return await sendRotation(context, false)
  })

  scope.post(`${INTEGRATION}secret/`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    requireRecentProof(world, context)
    const { app } = context
    const replaces = formOf(request).replaces ?? ''
    const requested = { app_id: app.id, replaces }
    const { secret_hash } = await apps.getClientOf(world.db, app.id)
    const client_secret = await rotateSecret(world, actorOf(context), requested)
    if (client_secret === undefined) return await sendRotation(context, true)
    const page = NewSecretPage({
      ...apps.brandOf(app),
      back: pathOf(context),
      client_secret,
      is_first: secret_hash === null,
    })
    return sendPage(reply, page)
  })
}

function declareSwitches(scope: FastifyInstance, world: World): void {
  scope.post(`${INTEGRATION}add-on`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const to = requireSwitch(formOf(request).to)
    await switchAddOn(world, actorOf(context), { app_id: context.app.id, to })
    return redirectTo(reply, `${pathOf(context)}?done=add_on_${to}`)
  })

  scope.post(`${INTEGRATION}pausing`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const to = requireSwitch(formOf(request).to)
    await allowPauses(world, actorOf(context), { app_id: context.app.id, to })
    return redirectTo(reply, `${pathOf(context)}?done=pausing_${to}`)
  })

  scope.post(`${INTEGRATION}preview`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { session, app } = context
    const form = formOf(request)
    const to = requireSwitch(form.to)
    const requested = { session, request_id: request.id }
    if (to === 'off') await endPreview(world, requested, { app })
    else {
      const product_id = requireId('prod', form.product_id)
      if (!(await startPreview(world, requested, { app, product_id }))) throw refuse('not_found')
    }
    return redirectTo(reply, `${pathOf(context)}?done=preview_${to}`)
  })
}

const NOTES: Record<string, string> = {
  addresses: 'URLs saved.',
  checks: 'Checks finished.',
  add_on_on: 'Hosted sign-in is on. Your app can read the plan of signed-in buyers.',
  add_on_off: 'Hosted sign-in is off. Buyers can still sign in.',
  pausing_on: 'Pausing is on. Buyers can pause their plans.',
  pausing_off: 'Pausing is off. Existing pauses are kept.',
  preview_on: 'Preview started.',
  preview_off: 'Preview ended. Its key no longer works.',
}
