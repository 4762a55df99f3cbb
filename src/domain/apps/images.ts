import { addDays } from '#platform/calendar'
import type { Db } from '#platform/db'
import type { AppId, ImageId, SellerId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { FileStorage } from '#platform/storage'
import { fileOf, type ImageSize, widthsOf } from './image.ts'

/** An image of an app. */
export interface AppImage extends ImageSize {
  id: ImageId
  app_id: AppId
  /** What a screenshot shows, for people who cannot see it. */
  alt: string
}

const COLUMNS = sql`id, app_id, kind, alt, width, height`

/**
 * Records an image whose files are about to be stored. It is not shown before `showImage`: until
 * then it counts as removed, so that retention deletes the files of an upload that was cut off.
 */
export async function addImage(db: Db, now: Date, image: AppImage): Promise<void> {
  const { id, app_id, kind, alt, width, height } = image
  await db.run(sql`insert into app_images
    (id, app_id, kind, alt, width, height, created_at, removed_at)
    values (${id}, ${app_id}, ${kind}, ${alt}, ${width}, ${height}, ${now}, ${now})`)
}

/** Shows an image whose files are stored; `arrangeImages` gives a screenshot its place. */
export async function showImage(tx: Db, id: ImageId): Promise<void> {
  await tx.run(sql`update app_images set removed_at = null, is_restorable = true
    where id = ${id}`)
}

/** Sets the icon of an app; null if it has none. */
export async function setIcon(tx: Db, id: AppId, icon_id: ImageId | null): Promise<void> {
  await tx.run(sql`update apps set icon_id = ${icon_id} where id = ${id}`)
}

/** The screenshots of an app, in order. */
export async function screenshotsOf(db: Db, app_id: AppId): Promise<AppImage[]> {
  return await db.rows<AppImage>(sql`select ${COLUMNS} from app_images
    where app_id = ${app_id} and kind = 'screenshot' and removed_at is null
    order by position, id`)
}

/** The images that a seller's apps show, each app's in order. */
export async function imagesOfSeller(db: Db, seller_id: SellerId): Promise<AppImage[]> {
  return await db.rows<AppImage>(sql`select ${COLUMNS} from app_images
    where app_id in (select id from apps where seller_id = ${seller_id}) and removed_at is null
    order by app_id, kind, position, id`)
}

/** An image that is shown, by its id. */
export async function findImage(db: Db, id: ImageId): Promise<AppImage | undefined> {
  return await db.maybe<AppImage>(
    sql`select ${COLUMNS} from app_images where id = ${id} and removed_at is null`,
  )
}

/** Changes a screenshot's description. */
export async function setAlt(tx: Db, id: ImageId, alt: string): Promise<void> {
  await tx.run(sql`update app_images set alt = ${alt} where id = ${id}`)
}

/** Puts an app's images in this order. */
export async function arrangeImages(tx: Db, app_id: AppId, ids: ImageId[]): Promise<void> {
  await tx.run(sql`update app_images set position = array_position(${ids}::text[], id)
    where app_id = ${app_id} and id = any(${ids})`)
}

/** Removes an image from every page; its files are deleted later. */
export async function removeImage(tx: Db, now: Date, id: ImageId): Promise<void> {
  await tx.run(sql`update app_images set removed_at = ${now}
    where id = ${id} and removed_at is null`)
}

/** How long a removed image is kept, in days. */
export const REMOVED_IMAGE_DAYS = 30

/** An image that its app's seller removed lately, and can restore. */
export interface RemovedImage extends AppImage {
  removed_at: Date
}

const RESTORABLE = (app_id: AppId, now: Date) => sql`app_id = ${app_id} and is_restorable
  and removed_at > ${addDays(now, -REMOVED_IMAGE_DAYS)}`

/** A page of the images of an app that its seller can restore, the last removed first. */
export async function restorableImages(
  db: Db,
  now: Date,
  { app_id, limit, offset }: { app_id: AppId; limit: number; offset: number },
): Promise<RemovedImage[]> {
  return await db.rows<RemovedImage>(sql`select ${COLUMNS}, removed_at from app_images
    where ${RESTORABLE(app_id, now)} order by removed_at desc, id limit ${limit} offset ${offset}`)
}

/** A removed image of an app that its seller can restore. */
export async function findRestorable(
  db: Db,
  now: Date,
  { app_id, id }: { app_id: AppId; id: ImageId },
): Promise<AppImage | undefined> {
  return await db.maybe<AppImage>(sql`select ${COLUMNS} from app_images
    where id = ${id} and ${RESTORABLE(app_id, now)}`)
}

/** Leaves the removed images of an app to retention: its next seller cannot restore them. */
export async function forgetRemovedImages(tx: Db, app_id: AppId): Promise<void> {
  await tx.run(sql`update app_images set is_restorable = false
    where app_id = ${app_id} and is_restorable and removed_at is not null`)
}

/** How many removed images of an app are kept; the earlier ones are deleted at once. */
const MAX_REMOVED_IMAGES = 24

/**
 * The images of an app that were removed before the latest that are kept. They cannot be restored
 * from here on; the app must be locked.
 */
export async function takeSurplusImages(tx: Db, app_id: AppId): Promise<AppImage[]> {
  return await tx.rows<AppImage>(sql`update app_images set is_restorable = false
    where id in (select id from app_images where app_id = ${app_id} and removed_at is not null
      order by removed_at desc, id offset ${MAX_REMOVED_IMAGES}) returning ${COLUMNS}`)
}

/** Images that were removed before a time; at most `limit` of them. */
export async function removedImages(db: Db, before: Date, limit: number): Promise<AppImage[]> {
  return await db.rows<AppImage>(sql`select ${COLUMNS} from app_images
    where removed_at <= ${before} order by removed_at, id limit ${limit}`)
}

/** Deletes a removed image: its files first, so that none is left without its row. */
export async function deleteImage(
  { db, storage }: { db: Db; storage: Pick<FileStorage, 'remove'> },
  image: AppImage,
): Promise<void> {
  for (const width of widthsOf(image)) await storage.remove(fileOf(image.id, width))
  await db.run(sql`delete from app_images where id = ${image.id} and removed_at is not null`)
}
