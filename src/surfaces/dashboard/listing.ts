import type { FastifyInstance } from 'fastify'
import type { ComparisonRow } from '#design/comparison'
import * as apps from '#domain/apps'
import * as listing from '#domain/listing'
import {
  type ListingWrite,
  readListing,
  readVersions,
  replaceFeatures,
  replaceSections,
  updateListing,
} from '#flows/listing'
import type { World } from '#flows/world'
import { addressOf } from '#http/app-menu'
import { csrfToken } from '#http/form-token'
import { APP_PATH, requireSellerTerms, type SellerTermsContext } from '#http/guards/seller'
import { formOf } from '#http/input'
import { redirectTo, sendPage } from '#http/pages'
import type { FieldFault } from '#platform/problem'
import { actorOf, appFactsOf } from './app-context.ts'
import { planNames } from './changes.ts'
import { compare } from './compare.ts'
import {
  BLANK_FEATURE,
  BLANK_SECTION,
  type FeatureRow,
  faultsOfListing,
  formOfListing,
  type ListingForm,
  listingOf,
  readFeatures,
  readListingForm,
  readSections,
  rowsAfterAction,
  type SectionRow,
} from './listing-form.ts'
import { ConfirmListingModePage, ListingPage } from './listing-pages.tsx'
import { FeaturesPage, SectionsPage } from './listing-rows-pages.tsx'
import { changesOf, OPENED } from './opened-form.ts'
import { activePlans, digestOf } from './plans-review.ts'
import { formFaults } from './rows.ts'

const LISTING = `${APP_PATH}/listing/`
/** Fits four sections of 4,000 characters, each encoded in up to twelve bytes by a form. */
const LONG_FORM = { bodyLimit: 256 * 1024 }
/** Fits 100 features of 700 characters, encoded likewise, each with a checkbox for 20 plans. */
export const TABLE_FORM = { bodyLimit: 1024 * 1024 }

/** The editor of an app's marketplace listing. */
export function declareListing(scope: FastifyInstance, world: World): void {
  declareListingText(scope, world)
  declareSections(scope, world)
  declareFeatures(scope, world)
}

function declareListingText(scope: FastifyInstance, world: World): void {
  async function show(
    context: SellerTermsContext,
    sent?: { form: ListingForm; opened: ListingForm },
    found: FieldFault[] = [],
  ) {
    const { app, reply } = context
    const saved = await readListing(world.db, app)
    const current = formOfListing(saved)
    const { form: shown, opened } = sent ?? { form: current, opened: current }
    const page = ListingPage({
      ...appFactsOf(world, context, NOTES),
      form: shown,
      opened,
      faults: faultsOfListing(found, listingOf(shown)),
      external_sales_enabled: app.external_sales_enabled,
      product_url: apps.productPath(app),
      has_icon: app.icon_id !== null,
      screenshots: (await apps.screenshotsOf(world.db, app.id)).length,
      sections: saved.sections.length,
      features: saved.features.length,
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(LISTING, async (request, reply) =>
    show(await requireSellerTerms(world, request, reply)),
  )

  scope.post(LISTING, LONG_FORM, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const form = readListingForm(formOf(request))
    const opened = readListingForm(formOf(request), OPENED)
    const changes = changesOf(listingOf(opened), listingOf(form))
    const { listing_mode = app.listing_mode } = changes
    const asks = apps.isOneWay(app, listing_mode) && formOf(request).do !== 'move'
    const save = { app, changes, dry_run: asks }
    const written = await updateListing(world, actorOf(context), save)
    if ('faults' in written) return await show(context, { form, opened }, written.faults)
    if (!asks) return redirectTo(reply, `${addressOf(app.slug, 'listing')}?done=listing`)
    const csrf_token = csrfToken(world, request, reply)
    const shown = { ...apps.brandOf(app), slug: app.slug, csrf_token }
    return sendPage(reply, ConfirmListingModePage({ ...shown, form, opened }))
  })
}

/** The rows of a form, with the errors and conflicts to show. */
interface ShownRows<Row> {
  rows: Row[]
  faults?: FieldFault[]
  focus?: string | undefined
  /** What a save would change, if the list was saved elsewhere since the form was opened. */
  conflicts?: ComparisonRow[]
  /** The digest of the list that the form is about; by default that of the form that was sent. */
  opened?: string
}

/** The facts of a page with rows, given the list that is saved now. */
function rowFactsOf<Row>(
  { request }: SellerTermsContext,
  saved: readonly object[],
  { rows, focus, faults = [], conflicts = [], ...given }: ShownRows<Row>,
) {
  const opened = given.opened ?? formOf(request).opened ?? digestOf(saved)
  return { rows, focus, faults: formFaults(faults), conflicts, opened }
}

/** The status of a page with these facts. */
function statusOf({ faults, conflicts }: ReturnType<typeof rowFactsOf>): number {
  if (faults.length > 0) return 422
  return conflicts.length > 0 ? 409 : 200
}

/**
 * Saves a list, and returns why not if it is refused. One that another member or an agent saved
 * since the form was opened is refused with what the save would change.
 */
async function saveUnlessChanged(
  world: World,
  context: SellerTermsContext,
  list: 'sections' | 'features',
  replace: (facts: Omit<ListingWrite, 'app'>) => ReturnType<typeof replaceSections>,
): Promise<Omit<ShownRows<never>, 'rows'> | undefined> {
  const { [list]: saved } = await readListing(world.db, context.app)
  const opened = digestOf(saved)
  if ((formOf(context.request).opened ?? opened) !== opened) {
    const preview = await replace({ dry_run: true })
    const names = await planNames(world, context)
    const after = 'faults' in preview ? saved : preview.state[list]
    const conflicts = compare({ [list]: saved }, { [list]: after }, names)
    if (conflicts.length > 0) return { conflicts, opened }
  }
  const written = await replace({ basis: { [list]: saved }, dry_run: false })
  if (!('faults' in written)) return undefined
  // Another save came first: the list is read again.
  return written.is_outdated ? await saveUnlessChanged(world, context, list, replace) : written
}

function declareSections(scope: FastifyInstance, world: World): void {
  const page = `${LISTING}sections/`

  async function show(context: SellerTermsContext, given?: ShownRows<SectionRow>) {
    const { sections } = await readListing(world.db, context.app)
    const saved = sections.map(({ title, body }) => ({ title, body: listing.asWritten(body) }))
    const rows = rowFactsOf(context, sections, given ?? { rows: saved })
    const facts = { ...appFactsOf(world, context), ...rows, allowed: listing.ALLOWED_ELEMENTS }
    return sendPage(context.reply, SectionsPage(facts), { status: statusOf(rows) })
  }

  scope.get(page, async (request, reply) => show(await requireSellerTerms(world, request, reply)))

  scope.post(page, LONG_FORM, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const form = formOf(request)
    const sections = readSections(form)
    const moved = rowsAfterAction(sections, form, 'sections', BLANK_SECTION)
    if (moved) return await show(context, moved)
    const refused = await saveUnlessChanged(world, context, 'sections', (facts) =>
      replaceSections(world, actorOf(context), { app, sections, ...facts }),
    )
    if (refused) return await show(context, { rows: sections, ...refused })
    return redirectTo(reply, `${addressOf(app.slug, 'listing')}?done=sections`)
  })
}

function declareFeatures(scope: FastifyInstance, world: World): void {
  const page = `${LISTING}features/`

  async function show(context: SellerTermsContext, given?: ShownRows<FeatureRow>) {
    const { features } = await readListing(world.db, context.app)
    const rows = rowFactsOf(context, features, given ?? { rows: features })
    const versions = await readVersions(world.db, context.app.id)
    const plans = activePlans(versions).map(({ product_public_id: id, name }) => ({ id, name }))
    const facts = { ...appFactsOf(world, context, NOTES), ...rows, plans }
    return sendPage(context.reply, FeaturesPage(facts), { status: statusOf(rows) })
  }

  scope.get(page, async (request, reply) => show(await requireSellerTerms(world, request, reply)))

  scope.post(page, TABLE_FORM, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const form = formOf(request)
    const features = readFeatures(form)
    const moved = rowsAfterAction(features, form, 'features', BLANK_FEATURE)
    if (moved) return await show(context, moved)
    const refused = await saveUnlessChanged(world, context, 'features', (facts) =>
      replaceFeatures(world, actorOf(context), { app, features, ...facts }),
    )
    if (refused) return await show(context, { rows: features, ...refused })
    return redirectTo(reply, `${addressOf(app.slug, 'listing')}?done=features`)
  })
}

const NOTES: Record<string, string> = {
  listing: 'Listing saved.',
  sections: 'Detail sections saved.',
  features: 'Feature table saved.',
}
