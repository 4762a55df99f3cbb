import type { FastifyInstance } from 'fastify'
import * as catalog from '#domain/catalog'
import * as discounts from '#domain/discounts'
import { createDiscount, switchDiscount } from '#flows/discounts'
import { appTime, type World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { APP_PATH, requireSellerTerms, type SellerTermsContext } from '#http/guards/seller'
import { formOf, paramsOf, requireId } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { pagingOf } from '#http/pagination'
import { refuse } from '#http/refusals'
import type { FieldFault } from '#platform/problem'
import { recordFrom } from '#platform/record'
import { actorOf, appFactsOf } from './app-context.ts'
import { DiscountsPage } from './discounts-page.tsx'
import { formFaults } from './rows.ts'

const DISCOUNTS = `${APP_PATH}/discounts/`
const CODES_A_PAGE = 50

const BLANK: discounts.NewDiscount = {
  ...recordFrom(discounts.NEW_DISCOUNT_FIELDS, () => ''),
  unit: 'percent',
  lasts: 'once',
  is_once_per_buyer: false,
  is_first_purchase: false,
  product_ids: [],
}

/** The discount codes of an app: the list, a new one, and turning one off and on. */
export function declareDiscounts(scope: FastifyInstance, world: World): void {
  async function show(
    context: SellerTermsContext,
    form: discounts.NewDiscount,
    found: FieldFault[] = [],
  ) {
    const { app, request, reply } = context
    const { db } = world
    const total = await discounts.countDiscounts(db, app.id)
    const paging = pagingOf(request, { total, size: CODES_A_PAGE })
    const page = DiscountsPage({
      ...appFactsOf(world, context, NOTES),
      now: appTime(world, app),
      products: await catalog.paidProducts(db, app.id),
      codes: await discounts.listDiscounts(db, app.id, paging),
      paging,
      form,
      faults: formFaults(found),
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(DISCOUNTS, async (request, reply) =>
    show(await requireSellerTerms(world, request, reply), BLANK),
  )

  scope.post(DISCOUNTS, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const entered = enteredIn(formOf(request))
    const made = await createDiscount(world, actorOf(context), { app, entered })
    if ('faults' in made) return await show(context, entered, made.faults)
    const done = entered.valid_from === '' ? 'created' : 'created_dated'
    return redirectTo(reply, `${addressOf(app.slug, 'discounts')}?done=${done}`)
  })

  const change = (to: 'on' | 'off') =>
    scope.post(`${DISCOUNTS}:discount_id/${to}`, async (request, reply) => {
      const context = await requireSellerTerms(world, request, reply)
      const { app } = context
      const id = requireId('disc', paramsOf('/:discount_id', request).discount_id)
      const done = await switchDiscount(world, actorOf(context), { app, id, to })
      if (!done) throw refuse('not_found')
      return redirectTo(reply, `${addressOf(app.slug, 'discounts')}?done=${to}`)
    })
  change('on')
  change('off')
}

/** The posted form; each plan has a checkbox named after it. */
function enteredIn(form: Record<string, string>): discounts.NewDiscount {
  const chosen = Object.keys(form).filter((name) => name.startsWith('prod_'))
  return {
    ...recordFrom(discounts.NEW_DISCOUNT_FIELDS, (name) => form[name] ?? ''),
    is_once_per_buyer: form.is_once_per_buyer !== undefined,
    is_first_purchase: form.is_first_purchase !== undefined,
    product_ids: chosen.map((name) => requireId('prod', name)),
  }
}

const NOTES: Record<string, string> = {
  created: 'Code created. Buyers can use it now.',
  created_dated: 'Code created. Buyers can use it from its first day.',
  off: 'Code deactivated. Subscriptions that have the discount keep it.',
  on: 'Code activated.',
}
