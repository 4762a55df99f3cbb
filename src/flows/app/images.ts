import * as apps from '#domain/apps'
import { lockOwnApp } from '#flows/app-access'
import type { World } from '#flows/world'
import { type ActorOf, audit } from '#platform/audit'
import type { Db } from '#platform/db'
import { type AppId, type ImageId, mintId } from '#platform/ids'
import {
  PICTURE_LIMITS,
  PICTURE_TYPE,
  type Picture,
  type PictureFault,
  type PictureSize,
} from '#platform/pictures'
import type { FieldFault } from '#platform/problem'
import { isBlank, textFault } from '#platform/text'

/** An image as it was uploaded. */
export interface UploadedImage {
  app_id: AppId
  kind: apps.ImageKind
  /** What a screenshot shows; empty for an icon. */
  alt: string
  /** The file; empty if none was chosen. */
  content: Buffer
}

/**
 * Adds a screenshot to an app, or replaces its icon, or returns every fault. What is stored is
 * re-encoded from the pixels, so nothing else of the uploaded file remains.
 */
export async function uploadImage(
  world: World,
  actor: ActorOf<'seller'>,
  { app_id, kind, alt, content }: UploadedImage,
): Promise<{ id: ImageId } | { faults: FieldFault[] }> {
  const { db, clock, random, storage } = world
  const description = kind === 'icon' ? '' : alt.replace(/\s+/g, ' ').trim()
  const encoded = await encodeUpload(world, kind, content)
  const faults = [
    ...('fault' in encoded ? [{ path: kind, message: encoded.fault }] : []),
    ...(kind === 'icon' ? [] : altFaults(description)),
  ]
  if (faults.length > 0 || 'fault' in encoded) return { faults }

  const { files } = encoded
  const { width, height } = files.at(-1)!
  const image = { id: mintId(random, 'img'), app_id, kind, alt: description, width, height }
  await apps.addImage(db, clock.now(), image)
  for (const { content: file, width: file_width } of files) {
    const key = apps.fileOf(image.id, file_width)
    await storage.put(clock.now(), key, { content: file, type: PICTURE_TYPE })
  }
  const shown = await showUpload(world, actor, image)
  await deleteSurplus(world, app_id)
  return shown
}

/** Deletes the removed images of an app beyond those that are kept, so that uploads are bounded. */
async function deleteSurplus({ db, storage }: World, app_id: AppId): Promise<void> {
  const surplus = await db.tx(async (tx) => {
    await apps.lock(tx, app_id)
    return await apps.takeSurplusImages(tx, app_id)
  })
  for (const image of surplus) await apps.deleteImage({ db, storage }, image)
}

/** Shows an image whose files are stored; a screenshot beyond the limit is not. */
async function showUpload(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  image: apps.AppImage,
): Promise<{ id: ImageId } | { faults: FieldFault[] }> {
  return await db.tx(async (tx) => {
    const { icon_id } = await lockOwnApp(tx, actor, image.app_id)
    return await showStored(tx, clock.now(), { actor, image, icon_id })
  })
}

/** Shows an image of a locked app, as its icon or after its screenshots. */
async function showStored(
  tx: Db,
  now: Date,
  facts: { actor: ActorOf<'seller'>; image: apps.AppImage; icon_id: ImageId | null },
): Promise<{ id: ImageId } | { faults: FieldFault[] }> {
  const { actor, icon_id } = facts
  const { id, app_id, kind, alt } = facts.image
  const shown = await apps.screenshotsOf(tx, app_id)
  if (kind === 'screenshot' && shown.length >= apps.MAX_SCREENSHOTS) {
    const message = `An app can have at most ${apps.MAX_SCREENSHOTS} screenshots.`
    return { faults: [{ path: kind, message }] }
  }
  await apps.showImage(tx, id)
  if (kind === 'icon') {
    await apps.setIcon(tx, app_id, id)
    if (icon_id) await apps.removeImage(tx, now, icon_id)
    const detail = { before: icon_id, after: id }
    await audit(tx, now, { actor, action: 'app.icon_changed', subject: app_id, detail })
  } else {
    await apps.arrangeImages(tx, app_id, [...shown.map((each) => each.id), id])
    const detail = { id, alt }
    await audit(tx, now, { actor, action: 'app.screenshot_added', subject: app_id, detail })
  }
  return { id }
}

/**
 * Restores an image that was removed in the last 30 days: an icon replaces the present one, a
 * screenshot is added at the end, if there is place. Undefined if there is no such image.
 */
export async function restoreImage(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  of: { app_id: AppId; id: ImageId },
): Promise<{ id: ImageId } | { faults: FieldFault[] } | undefined> {
  return await db.tx(async (tx) => {
    const now = clock.now()
    const { icon_id } = await lockOwnApp(tx, actor, of.app_id)
    const image = await apps.findRestorable(tx, now, of)
    return image && (await showStored(tx, now, { actor, image, icon_id }))
  })
}

/** Removes the icon of an app, which shows its initial again. */
export async function removeIcon(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  app_id: AppId,
): Promise<void> {
  const now = clock.now()
  await db.tx(async (tx) => {
    const { icon_id } = await lockOwnApp(tx, actor, app_id)
    if (!icon_id) return
    await apps.setIcon(tx, app_id, null)
    await apps.removeImage(tx, now, icon_id)
    const detail = { before: icon_id, after: null }
    await audit(tx, now, { actor, action: 'app.icon_changed', subject: app_id, detail })
  })
}

/** A change of one of an app's screenshots. */
export interface ScreenshotChange {
  app_id: AppId
  id: ImageId
  act: 'up' | 'down' | 'remove' | { alt: string }
}

/** Describes, moves or removes a screenshot; undefined if the app has no such screenshot. */
export async function changeScreenshot(
  { db, clock }: World,
  actor: ActorOf<'seller'>,
  { app_id, id, act }: ScreenshotChange,
): Promise<'changed' | { faults: FieldFault[] } | undefined> {
  const now = clock.now()
  const alt = typeof act === 'object' ? act.alt.replace(/\s+/g, ' ').trim() : undefined
  const faults = alt === undefined ? [] : altFaults(alt)
  return await db.tx(async (tx) => {
    await lockOwnApp(tx, actor, app_id)
    const before = await apps.screenshotsOf(tx, app_id)
    const image = before.find((each) => each.id === id)
    if (!image) return undefined
    if (faults.length > 0) return { faults }
    if (alt !== undefined) {
      await apps.setAlt(tx, id, alt)
      const detail = { id, before: image.alt, after: alt }
      await audit(tx, now, { actor, action: 'app.screenshot_described', subject: app_id, detail })
    } else if (act === 'remove') {
      await apps.removeImage(tx, now, id)
      const detail = { id }
      await audit(tx, now, { actor, action: 'app.screenshot_removed', subject: app_id, detail })
    } else {
      const order = before.map((each) => each.id)
      const ids = moved(order, id, act === 'up' ? -1 : 1)
      await apps.arrangeImages(tx, app_id, ids)
      const detail = { ids }
      await audit(tx, now, { actor, action: 'app.screenshots_arranged', subject: app_id, detail })
    }
    return 'changed'
  })
}

/** A list with one entry a place earlier or later; the same list at its ends. */
function moved<T>(list: T[], entry: T, by: -1 | 1): T[] {
  const at = list.indexOf(entry)
  const other = list[at + by]
  if (other === undefined) return list
  return list.map((each) => (each === entry ? other : each === other ? entry : each))
}

function altFaults(alt: string): FieldFault[] {
  if (isBlank(alt)) {
    const message = 'Describe what the screenshot shows, for people who cannot see it.'
    return [{ path: 'alt', message }]
  }
  const message = textFault(alt, { most: apps.MAX_ALT_LENGTH })
  return message ? [{ path: 'alt', message }] : []
}

/** The files of an upload in each of its widths, smallest first; or why it has none. */
async function encodeUpload(
  { pictures }: World,
  kind: apps.ImageKind,
  content: Buffer,
): Promise<{ files: Picture[] } | { fault: string }> {
  if (content.length === 0) return { fault: 'Choose a file.' }
  const size = await pictures.measure(content)
  if (typeof size === 'string') return { fault: FAULTS[size] }
  const fault = apps.sizeFault({ kind, ...size })
  if (fault) return { fault }
  const whole = await pictures.encode(content, apps.BOXES[kind])
  if (typeof whole === 'string') return { fault: FAULTS[whole] }
  const files: Picture[] = []
  for (const width of apps.widthsOf({ kind, width: whole.width })) {
    const box: PictureSize = { ...apps.BOXES[kind], width }
    const file = width === whole.width ? whole : await pictures.encode(content, box)
    if (typeof file === 'string') return { fault: FAULTS[file] }
    files.push(file)
  }
  return { files }
}

const FAULTS: Record<PictureFault, string> = {
  not_a_picture: 'Use a PNG, JPEG or WebP image. This file is damaged or of another type.',
  too_many_pixels: `Use an image of at most ${PICTURE_LIMITS.pixels / 1_000_000} megapixels.`,
  too_many_bytes: `Use a file of at most ${PICTURE_LIMITS.bytes / 1024 / 1024} MB.`,
}
