import { isDeepStrictEqual } from 'node:util'
import * as apps from '#domain/apps'
import type { LiveMode, World } from '#flows/world'
import type { AppId, SellerId } from '#platform/ids'
import { PICTURE_TYPE } from '#platform/pictures'

type MirrorTools = Pick<World, 'db' | 'clock' | 'storage' | 'log'>

/**
 * Gives the copies of a seller's apps the icons and screenshots that live mode shows. Files that
 * cannot be read now are logged, and the next copy reads them again.
 */
export async function mirrorImages(
  tools: MirrorTools,
  live: LiveMode,
  seller_id: SellerId,
  images: apps.AppImage[],
): Promise<void> {
  const { db, log } = tools
  const here = await apps.imagesOfSeller(db, seller_id)
  for (const app_id of await apps.idsOf(db, seller_id)) {
    const ofApp = (image: apps.AppImage) => image.app_id === app_id
    const [before, after] = [here.filter(ofApp), images.filter(ofApp)]
    if (isDeepStrictEqual(before, after)) continue
    try {
      await mirrorOfApp(tools, live, { app_id, before, after })
    } catch (error) {
      log.warn({ error, app_id }, 'images cannot be copied from live mode; will retry')
    }
  }
}

async function mirrorOfApp(
  { db, clock, storage }: MirrorTools,
  live: LiveMode,
  facts: { app_id: AppId; before: apps.AppImage[]; after: apps.AppImage[] },
): Promise<void> {
  const { app_id, before, after } = facts
  const now = clock.now()
  const isIn = (list: apps.AppImage[]) => (image: apps.AppImage) =>
    list.some(({ id }) => id === image.id)
  for (const image of after.filter((each) => !isIn(before)(each))) {
    await apps.mirrorImage(db, now, image)
    for (const width of apps.widthsOf(image)) {
      const key = apps.fileOf(image.id, width)
      const content = await live.file(key)
      if (!content) throw new Error(`live mode has no file ${key}`)
      await storage.put(now, key, { content, type: PICTURE_TYPE })
    }
  }
  await db.tx(async (tx) => {
    const { icon_id } = await apps.lock(tx, app_id)
    for (const { id, alt } of after) {
      await apps.showImage(tx, id)
      await apps.setAlt(tx, id, alt)
    }
    const ids = after.map(({ id }) => id)
    await apps.arrangeImages(tx, app_id, ids)
    const icon = after.find(({ kind }) => kind === 'icon')?.id ?? null
    if (icon !== icon_id) await apps.setIcon(tx, app_id, icon)
    for (const { id } of before.filter((each) => !isIn(after)(each))) {
      await apps.removeImage(tx, now, id)
    }
  })
}
