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
import type { FieldFault } from '#platform/problem'
import { csrfToken } from '#surfaces/browser'
import { formOf, goTo, sendPage } from '#surfaces/pages'
import { type AppVisit, appFactsOf, editorOf, forDeveloper } from './access.ts'
import { addressOf } from './frame.tsx'
import { fieldOf } from './integration.ts'
import {
  BLANK_FEATURE,
  BLANK_SECTION,
  type FeatureRow,
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
import { formFaults } from './rows.ts'

const LISTING = '/dashboard/apps/:slug/listing/'
/** Four sections of 4,000 characters, each of which a form may spell with twelve. */
export const LONG_FORM = { bodyLimit: 256 * 1024 }

/** The pages on which a seller edits what the marketplace says of an app. */
export function declareListing(scope: FastifyInstance, world: World): void {
  declareWords(scope, world)
  declareSections(scope, world)
  declareFeatures(scope, world)
}

function declareWords(scope: FastifyInstance, world: World): void {
  async function show(visit: AppVisit, form?: ListingForm, found: FieldFault[] = []) {
    const { app, reply } = visit
    const saved = await readListing(world.db, app)
    const page = ListingPage({
      ...(await appFactsOf(world, visit, NOTES)),
      form: form ?? formOfListing(saved),
      faults: formFaults(found, fieldOf),
      external_sales_enabled: app.external_sales_enabled,
      is_published: app.is_published,
      sections: saved.sections.length,
      features: saved.features.length,
    })
    return sendPage(reply, page, { status: found.length > 0 ? 422 : 200 })
  }

  scope.get(
    LISTING,
    forDeveloper(world, (visit) => show(visit)),
  )

  scope.post(
    LISTING,
    LONG_FORM,
    forDeveloper(world, async (visit) => {
      const { app, request, reply } = visit
      const form = readListingForm(formOf(request))
      const changes = listingOf(form)
      const { listing_mode = app.listing_mode } = changes
      const asks = apps.isOneWay(app, listing_mode) && formOf(request).do !== 'move'
      const save = { app, changes, dry_run: asks }
      const written = await updateListing(world, editorOf(visit), save)
      if ('faults' in written) return await show(visit, form, written.faults)
      if (!asks) return goTo(reply, `${addressOf(app.slug, 'listing')}?done=listing`)
      const csrf_token = csrfToken(world, request, reply)
      return sendPage(
        reply,
        ConfirmListingModePage({ app_name: app.name, slug: app.slug, csrf_token, form }),
      )
    }),
  )
}

function declareSections(scope: FastifyInstance, world: World): void {
  const page = `${LISTING}sections/`

  async function show(
    visit: AppVisit,
    given: { rows: SectionRow[]; faults?: FieldFault[]; focus?: string | undefined },
  ) {
    const faults = formFaults(given.faults)
    const facts = await appFactsOf(world, visit)
    const { rows, focus } = given
    const page = SectionsPage({ ...facts, rows, faults, focus, allowed: listing.ALLOWED_ELEMENTS })
    return sendPage(visit.reply, page, { status: faults.length > 0 ? 422 : 200 })
  }

  scope.get(
    page,
    forDeveloper(world, async (visit) => {
      const { sections } = await readListing(world.db, visit.app)
      const rows = sections.map(({ title, body }) => ({ title, body: listing.asWritten(body) }))
      return await show(visit, { rows })
    }),
  )

  scope.post(
    page,
    LONG_FORM,
    forDeveloper(world, async (visit) => {
      const { app, request, reply } = visit
      const form = formOf(request)
      const sections = readSections(form)
      const moved = pressed(sections, form, 'sections', BLANK_SECTION)
      if (moved) return await show(visit, moved)
      const save = { app, sections, dry_run: false }
      const written = await replaceSections(world, editorOf(visit), save)
      if ('faults' in written) return await show(visit, { rows: sections, faults: written.faults })
      return goTo(reply, `${addressOf(app.slug, 'listing')}?done=sections`)
    }),
  )
}

function declareFeatures(scope: FastifyInstance, world: World): void {
  const page = `${LISTING}features/`

  async function show(
    visit: AppVisit,
    given: { rows: FeatureRow[]; faults?: FieldFault[]; focus?: string | undefined },
  ) {
    const { rows, focus } = given
    const faults = formFaults(given.faults)
    const versions = await readVersions(world.db, visit.app.id)
    const plans = versions
      .filter(({ is_active }) => is_active)
      .map(({ product_public_id, name }) => ({ id: product_public_id, name }))
    const facts = await appFactsOf(world, visit, NOTES)
    const status = faults.length > 0 ? 422 : 200
    return sendPage(visit.reply, FeaturesPage({ ...facts, rows, plans, faults, focus }), { status })
  }

  scope.get(
    page,
    forDeveloper(world, async (visit) => {
      const { features } = await readListing(world.db, visit.app)
      return await show(visit, { rows: features })
    }),
  )

  scope.post(
    page,
    LONG_FORM,
    forDeveloper(world, async (visit) => {
      const { app, request, reply } = visit
      const form = formOf(request)
      const features = readFeatures(form)
      const moved = pressed(features, form, 'features', BLANK_FEATURE)
      if (moved) return await show(visit, moved)
      const save = { app, features, dry_run: false }
      const written = await replaceFeatures(world, editorOf(visit), save)
      if ('faults' in written) return await show(visit, { rows: features, faults: written.faults })
      return goTo(reply, `${addressOf(app.slug, 'listing')}?done=features`)
    }),
  )
}

const NOTES: Record<string, string> = {
  listing: 'The listing is saved.',
  sections: 'The detail sections are saved.',
  features: 'The feature table is saved.',
}
