import * as apps from '#domain/apps'
import * as billing from '#domain/billing'
import * as identity from '#domain/identity'
import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import * as sellers from '#domain/sellers'
import * as tax from '#domain/tax'
import type { World } from '#flows/world'
import { addDays } from '#platform/calendar'
import { PLATFORM_SWEEPS, sweep } from '#platform/sweep'

// In this order: an attempt refers to its invoice, that to its cart, and both to a quote.
const SWEEPS = [
  ...payments.PAYMENT_SWEEPS,
  billing.DRAFT_SWEEP,
  billing.CART_SWEEP,
  tax.QUOTE_SWEEP,
  licensing.USE_SWEEP,
  sellers.INVITATION_SWEEP,
  apps.TRANSFER_SWEEP,
  identity.EMAIL_CHANGE_SWEEP,
  ...imports.IMPORT_SWEEPS,
  ...PLATFORM_SWEEPS,
]

/**
 * Deletes what has reached the end of its retention (docs/retention.md). Any number of processes
 * may run it.
 */
export async function applyRetention(world: World): Promise<void> {
  const { db, clock, log, stopping } = world
  const deleted = await sweep(db, clock.now(), SWEEPS, stopping)
  deleted.app_images = await deleteImages(world)
  deleted.uploads = await deleteUploads(world)
  deleted.imports = await finishDeletedImports(world)
  const rows = Object.entries(deleted).filter(([, count]) => count > 0)
  if (rows.length > 0) log.info({ deleted: Object.fromEntries(rows) }, 'retention applied')
}

const IMAGES_AT_ONCE = 100

/** Deletes removed images. */
async function deleteImages({ db, clock, storage, stopping }: World): Promise<number> {
  const before = addDays(clock.now(), -apps.REMOVED_IMAGE_DAYS)
  for (let deleted = 0; ; ) {
    const images = await apps.removedImages(db, before, IMAGES_AT_ONCE)
    for (const image of images) {
      if (stopping.aborted) return deleted
      await apps.deleteImage({ db, storage }, image)
      deleted++
    }
    if (images.length < IMAGES_AT_ONCE) return deleted
  }
}

const UPLOAD_DAYS = 7

/**
 * Deletes files that were uploaded to be imported: those that were never read, with their imports,
 * and those that could not be deleted when they had been read.
 */
async function deleteUploads({ db, clock, storage, stopping }: World): Promise<number> {
  const before = addDays(clock.now(), -UPLOAD_DAYS)
  for (let deleted = 0; ; ) {
    const uploads = await imports.staleUploads(db, before, IMAGES_AT_ONCE)
    for (const upload of uploads) {
      if (stopping.aborted) return deleted
      await imports.deleteFile({ db, storage }, upload)
      await imports.dropImport(db, upload.id)
      deleted++
    }
    if (uploads.length < IMAGES_AT_ONCE) return deleted
  }
}

const DELETED_IMPORT_DAYS = 1
const ROWS_AT_ONCE = 1_000

/** Deletes the imports that sellers deleted, with what a crash left of them. */
async function finishDeletedImports({ db, clock, storage, stopping }: World): Promise<number> {
  const before = addDays(clock.now(), -DELETED_IMPORT_DAYS)
  for (let deleted = 0; ; ) {
    const found = await imports.deletedImports(db, before, IMAGES_AT_ONCE)
    for (const each of found) {
      if (stopping.aborted) return deleted
      await imports.emptyDeleted({ db, storage }, { ...each, limit: ROWS_AT_ONCE })
      await imports.dropDeleted(db, each.id)
      deleted++
    }
    if (found.length < IMAGES_AT_ONCE) return deleted
  }
}
