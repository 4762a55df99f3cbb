import type { FastifyInstance } from 'fastify'
import type { ProceedsRates } from '#design/proceeds'
import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as catalog from '#domain/catalog'
import {
  describeProduct,
  highlightPlan,
  type ListedVersion,
  readVersions,
  replaceVersions,
} from '#flows/listing'
import type { World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { APP_PATH, requireSellerTerms, type SellerTermsContext } from '#http/guards/seller'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import { readId } from '#platform/ids'
import { type FieldFault, Problem } from '#platform/problem'
import { textFault, tidyText } from '#platform/text'
import { actorOf, appFactsOf } from './app-context.ts'
import { declareCopyPlans } from './copy-plans.ts'
import { TABLE_FORM } from './listing.ts'
import {
  BLANK_PLAN,
  fieldsOfPlans,
  formOfVersions,
  type PlanRow,
  plansAfterAction,
  readPlans,
  versionsOf,
} from './plans-form.ts'
import { PlansPage } from './plans-pages.tsx'
import { activePlans, digestOf, reviewOf } from './plans-review.ts'
import { ReviewPage } from './plans-review-page.tsx'
import { formFaults } from './rows.ts'

const PLANS = `${APP_PATH}/plans/`

/** The editor of plans, prices and plan descriptions. */
export function declarePlans(scope: FastifyInstance, world: World): void {
  scope.get(PLANS, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const rows = formOfVersions(await readVersions(world.db, context.app.id))
    // An app without plans opens with an empty one.
    return await showEditor(world, context, { rows: rows.length > 0 ? rows : [BLANK_PLAN] })
  })

  scope.post(PLANS, TABLE_FORM, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const form = formOf(request)
    const rows = readPlans(form)
    assertFewPlans(rows)
    const moved = plansAfterAction(rows, form)
    if (moved) return await showEditor(world, context, moved)
    if (form.do === 'edit') return await showEditor(world, context, { rows })
    return await review(world, context, rows)
  })
  declareHighlight(scope, world)
  declareCopyPlans(scope, world)
}

function declareHighlight(scope: FastifyInstance, world: World): void {
  scope.post(`${PLANS}highlight`, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { id: app_id, slug } = context.app
    const product_id = readId('prod', formOf(request).product_id) ?? null
    const isDone = await highlightPlan(world, actorOf(context), { app_id, product_id })
    return redirectTo(reply, `${addressOf(slug, 'plans')}?done=${isDone ? 'highlight' : 'gone'}`)
  })
}

/** Throws if there are more rows than a seller may have, before any work is done for them. */
function assertFewPlans(rows: PlanRow[]): void {
  const { MAX_VERSIONS, MAX_PRICES } = catalog
  const isFew = rows.length <= MAX_VERSIONS
  if (isFew && rows.every(({ prices }) => prices.length <= MAX_PRICES)) return
  const message = `An app has at most ${MAX_VERSIONS} plans, and a plan ${MAX_PRICES} prices.`
  throw new Problem(400, 'invalid_request', message)
}

async function showEditor(
  world: World,
  context: SellerTermsContext,
  given: { rows: PlanRow[]; faults?: FieldFault[]; focus?: string | undefined; hint?: string },
) {
  const { rows, focus, hint } = given
  const faults = formFaults(given.faults)
  const facts = appFactsOf(world, context, NOTES)
  const { app, request } = context
  const opened = formOf(request).opened ?? digestOf(await plansForSale(world, app))
  const page = PlansPage({
    ...facts,
    rows,
    opened,
    faults,
    focus,
    hint,
    fees: feesOf(world, app),
    is_live: apps.hasPublicPrices(app),
    can_copy: world.live !== undefined,
    saved: await catalog.products(world.db, app.id),
    highlighted: await catalog.highlighted(world.db, app.id),
  })
  return sendPage(context.reply, page, { status: faults.length > 0 ? 422 : 200 })
}

function feesOf({ clock }: World, app: apps.App): ProceedsRates {
  const has_add_on = apps.addOnOf(clock.now(), app).is_charged
  const rate = (brought_by: billing.BroughtBy) => ({
    bps: billing.feeRate({ brought_by, has_add_on }),
    fixed: billing.FIXED_FEE,
  })
  return { own: rate('seller'), marketplace: rate('service') }
}

async function plansForSale({ db }: World, app: apps.App): Promise<ListedVersion[]> {
  return activePlans(await readVersions(db, app.id))
}

/**
 * Shows what saving would do, and saves if that was already shown and has not changed. If no buyer
 * is affected, nothing is removed, and the plans are those that were opened, it saves without a
 * review.
 */
async function review(world: World, context: SellerTermsContext, rows: PlanRow[]) {
  const { app, request, reply } = context
  const versions = versionsOf(rows)
  const before = await plansForSale(world, app)
  const { do: pressed, reviewed: seen, opened = digestOf(before) } = formOf(request)
  const trial = await replaceVersions(world, actorOf(context), {
    app,
    versions,
    basis: { versions: before },
    dry_run: true,
  })
  // Another save came first: the plans are read again.
  if ('faults' in trial && trial.is_outdated) return await review(world, context, rows)
  const faults = ['faults' in trial ? trial.faults : [], descriptionFaults(rows)].flat()
  if ('faults' in trial || faults.length > 0) {
    return await showEditor(world, context, { rows, faults })
  }
  const after = described(activePlans(trial.state), rows)
  const { removed, dead_buy_links } = trial
  const preview = reviewOf(before, after, { removed, dead_buy_links })
  if (trial.changed.length === 0 && preview.differences.length === 0) {
    return await showEditor(world, context, { rows, hint: 'There are no changes to save.' })
  }
  const reviewed = digestOf(preview)
  const removesNothing = removed.length === 0 && dead_buy_links.length === 0
  const isHarmless = !apps.hasPublicPrices(app) && removesNothing && opened === digestOf(before)
  if (isHarmless || (pressed === 'save' && seen === reviewed)) {
    const refused = await save(world, context, rows, before)
    if (refused?.is_outdated) return await review(world, context, rows)
    if (refused) return await showEditor(world, context, { rows, faults: refused.faults })
    return redirectTo(reply, `${addressOf(app.slug, 'plans')}?done=plans`)
  }
  const page = ReviewPage({
    ...appFactsOf(world, context),
    review: preview,
    fields: Object.fromEntries(fieldsOfPlans(rows)),
    reviewed,
    has_changed: pressed === 'save',
  })
  return sendPage(reply, page, { status: pressed === 'save' ? 409 : 200 })
}

/** Saves the plans, then the descriptions that differ; returns the refusal, if there is one. */
async function save(
  world: World,
  context: SellerTermsContext,
  rows: PlanRow[],
  before: ListedVersion[],
) {
  const { app } = context
  const actor = actorOf(context)
  const saved = await replaceVersions(world, actor, {
    app,
    versions: versionsOf(rows),
    basis: { versions: before },
    dry_run: false,
  })
  if ('faults' in saved) return saved
  const now = activePlans(saved.state)
  for (const [at, { product_public_id, description }] of described(now, rows).entries()) {
    if (description === now[at]?.description) continue
    const written = await describeProduct(world, actor, {
      app,
      product_id: product_public_id,
      description,
      basis: { product_public_id, description: now[at]?.description },
      dry_run: false,
    })
    if ('faults' in written) return written
  }
  return undefined
}

function described(versions: ListedVersion[], rows: PlanRow[]): ListedVersion[] {
  return versions.map((each, at) => ({
    ...each,
    description: rows[at] ? tidyText(rows[at].description) : each.description,
  }))
}

function descriptionFaults(rows: PlanRow[]): FieldFault[] {
  return rows.flatMap(({ description }, at) => {
    const message = textFault(tidyText(description), catalog.PRODUCT_DESCRIPTION)
    return message === undefined ? [] : [{ path: `versions.${at}.description`, message }]
  })
}

const NOTES: Record<string, string> = {
  plans: 'Plans saved. They apply to new purchases.',
  copied: 'Plans copied from live mode.',
  highlight: 'Highlighted plan saved.',
  gone: 'This plan is no longer for sale.',
}
