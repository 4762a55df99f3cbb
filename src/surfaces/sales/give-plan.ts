import type { FastifyInstance, FastifyReply } from 'fastify'
import * as catalog from '#domain/catalog'
import * as identity from '#domain/identity'
import { givePlan, type PlanGiven } from '#flows/subscription'
import { appTime, type World } from '#flows/world'
import { withQuery } from '#http/address'
import { faultsIn } from '#http/form-errors'
import { type AppSalesContext, requireAppSales, SIDES } from '#http/guards/seller-or-staff'
import { requireRecentProof } from '#http/guards/session'
import { formOf, queryOf } from '#http/input'
import { limitPage, redirectTo, sendPage } from '#http/pages'
import { reasonFault } from '#http/reason'
import { readDay } from '#platform/calendar'
import { readId } from '#platform/ids'
import { recordFrom } from '#platform/record'
import { ACTION_LIMIT } from './customer-actions.ts'
import { GIVE_FIELDS, type GiveFacts, type GiveForm, GivePlanPage } from './give-plan-page.tsx'
import { pageFacts, sellerOf } from './sales-context.ts'

const LONGEST = 1000
const PAST = 'Enter a date in the future.'

type GiveFaults = GiveFacts['faults']

/** The page on which a member gives a person a plan (decision 110). */
export function declareGivePlan(scope: FastifyInstance, world: World): void {
  const path = `${SIDES.seller}/licenses/give/`
  scope.get(path, async (request, reply) => {
    const context = await requireAppSales(world, request, reply, 'support')
    requireRecentProof(world, context)
    const form = formFrom((name) => queryOf(request, name))
    return await show(world, context, { form, faults: [] })
  })

  scope.post(path, async (request, reply) => {
    const context = await requireAppSales(world, request, reply, 'support')
    const posted = formOf(request)
    const form = formFrom((name) => posted[name])
    const email = identity.readEmail(form.email)
    const product_id = readId('prod', form.plan)
    const now = appTime(world, context.app)
    const faults = faultsOf(form, { email, product_id, now })
    if (faults.length > 0 || !email || !product_id) {
      return await show(world, context, { form, faults })
    }
    requireRecentProof(world, context, withQuery(request.url, { ...form }))
    await limitPage(world, ACTION_LIMIT, context.session.user_id, reply)
    const { reason, ends } = form
    const wanted = { ...email, product_id, reason, ends_at: readDay(ends) ?? null }
    const app_id = context.app.id
    const given = await givePlan(world, sellerOf(context), { app_id, ...wanted })
    if (given.outcome === 'given') {
      const customer = `${context.base}/customers/${given.license_id}/`
      return redirectTo(reply, `${customer}?done=given`)
    }
    return await show(world, context, { form, ...refusalOf(given) })
  })
}

function formFrom(read: (name: keyof GiveForm) => string | undefined): GiveForm {
  return recordFrom(GIVE_FIELDS, (name) => (read(name) ?? '').trim().slice(0, LONGEST))
}

function faultsOf(
  { ends, reason }: GiveForm,
  { now, ...read }: { email: unknown; product_id: unknown; now: Date },
): GiveFaults {
  const email = 'Enter an email address such as name@example.com.'
  const day = 'Enter a date such as 2027-01-31, or leave this empty.'
  const end = readDay(ends)
  return faultsIn([
    ['email', !read.email && email],
    ['plan', !read.product_id && 'Choose a plan.'],
    ['ends', ends !== '' && !end && day],
    ['ends', end && end <= now && PAST],
    ['reason', reasonFault(reason)],
  ])
}

/** Why nothing was given, at its field. */
function refusalOf(
  given: Exclude<PlanGiven, { outcome: 'given' }>,
): { faults: GiveFaults } & Pick<GiveShown, 'license'> {
  switch (given.outcome) {
    case 'owned':
      return { faults: [], license: given.license }
    case 'buying':
      return fault('email', 'This person is buying the app now. Try again in a minute.')
    case 'no_plan':
      return fault('plan', 'This plan is not for sale. Choose another.')
    case 'past':
      return fault('ends', PAST)
  }
}

function fault(id: string, message: string): { faults: GiveFaults } {
  return { faults: [{ id, message }] }
}

interface GiveShown {
  form: GiveForm
  faults: GiveFaults
  /** The license that the person has already. */
  license?: Extract<PlanGiven, { outcome: 'owned' }>['license']
}

async function show(
  world: World,
  context: AppSalesContext,
  { form, faults, license }: GiveShown,
): Promise<FastifyReply> {
  const { app, base } = context
  const products = await catalog.paidProducts(world.db, app.id)
  const page = GivePlanPage({
    ...pageFacts(world, context, app),
    app_name: app.name,
    plans: products.map(({ id, name }) => ({ value: id, label: name })),
    form,
    faults,
    owned: license && {
      href: `${base}/customers/${license.license_id}/`,
      plan: await catalog.productName(world.db, license.product_id),
    },
  })
  return sendPage(context.reply, page, { status: faults.length > 0 || license ? 422 : 200 })
}
