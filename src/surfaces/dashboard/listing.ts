import type { FastifyInstance } from 'fastify'
import * as apps from '#domain/apps'
import * as listing from '#domain/listing'
import {
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
import {
  BLANK_FEATURE,
  BLANK_SECTION,
  type FeatureRow,
  faultsOfListing,
  formOfListing,
  type ListingForm,
  listingOf,
  pressed,
  readFeatures,
  readListingForm,
  readSections,
  type SectionRow,
} from './listing-form.ts'
import { ConfirmListingModePage, ListingPage } from './listing-pages.tsx'
import { FeaturesPage, SectionsPage } from './listing-rows-pages.tsx'
import { changesOf, OPENED } from './opened-form.ts'
import { activePlans } from './plans-review.ts'
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
    return sendPage(
      reply,
      ConfirmListingModePage({ app_name: app.name, slug: app.slug, csrf_token, form, opened }),
    )
  })
}

function declareSections(scope: FastifyInstance, world: World): void {
  const page = `${LISTING}sections/`

  function show(
    context: SellerTermsContext,
    given: { rows: SectionRow[]; faults?: FieldFault[]; focus?: string | undefined },
  ) {
    const faults = formFaults(given.faults)
    const facts = appFactsOf(world, context)
    const { rows, focus } = given
    const page = SectionsPage({ ...facts, rows, faults, focus, allowed: listing.ALLOWED_ELEMENTS })
    return sendPage(context.reply, page, { status: faults.length > 0 ? 422 : 200 })
  }

  scope.get(page, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { sections } = await readListing(world.db, context.app)
    const rows = sections.map(({ title, body }) => ({ title, body: listing.asWritten(body) }))
    return show(context, { rows })
  })

  scope.post(page, LONG_FORM, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const form = formOf(request)
    const sections = readSections(form)
    const moved = pressed(sections, form, 'sections', BLANK_SECTION)
    if (moved) return show(context, moved)
    const save = { app, sections, dry_run: false }
    const written = await replaceSections(world, actorOf(context), save)
    if ('faults' in written) return show(context, { rows: sections, faults: written.faults })
    return redirectTo(reply, `${addressOf(app.slug, 'listing')}?done=sections`)
  })
}

function declareFeatures(scope: FastifyInstance, world: World): void {
  const page = `${LISTING}features/`

  async function show(
    context: SellerTermsContext,
    given: { rows: FeatureRow[]; faults?: FieldFault[]; focus?: string | undefined },
  ) {
    const { rows, focus } = given
    const faults = formFaults(given.faults)
    const versions = await readVersions(world.db, context.app.id)
    const plans = activePlans(versions).map(({ product_public_id: id, name }) => ({ id, name }))
    const facts = appFactsOf(world, context, NOTES)
    const status = faults.length > 0 ? 422 : 200
    return sendPage(context.reply, FeaturesPage({ ...facts, rows, plans, faults, focus }), {
      status,
    })
  }

  scope.get(page, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { features } = await readListing(world.db, context.app)
    return await show(context, { rows: features })
  })

  scope.post(page, TABLE_FORM, async (request, reply) => {
    const context = await requireSellerTerms(world, request, reply)
    const { app } = context
    const form = formOf(request)
    const features = readFeatures(form)
    const moved = pressed(features, form, 'features', BLANK_FEATURE)
    if (moved) return await show(context, moved)
    const save = { app, features, dry_run: false }
    const written = await replaceFeatures(world, actorOf(context), save)
    if ('faults' in written) return await show(context, { rows: features, faults: written.faults })
    return redirectTo(reply, `${addressOf(app.slug, 'listing')}?done=features`)
  })
}

const NOTES: Record<string, string> = {
  listing: 'Listing saved.',
  sections: 'Detail sections saved.',
  features: 'Feature table saved.',
}
