import { type ImageId, readId } from '#platform/ids'

/** The purpose of an app's image. */
export type ImageKind = 'icon' | 'screenshot'

/** An encoded image: what it is for, and its size in pixels. */
export interface ImageSize {
  kind: ImageKind
  width: number
  height: number
}

/** The most screenshots that an app can have. */
export const MAX_SCREENSHOTS = 6
/** The longest description of a screenshot, in characters. */
export const MAX_ALT_LENGTH = 200

/** The box that an uploaded image is fitted into, in pixels. */
export const BOXES: Record<ImageKind, { width: number; height: number }> = {
  icon: { width: 256, height: 256 },
  screenshot: { width: 1600, height: 1600 },
}

/** A screenshot wider than this has a second file of this width, for phones. */
const SMALL_WIDTH = 800
const SMALLEST_ICON = BOXES.icon.width
const SMALLEST_SCREENSHOT = { width: 320, height: 200 }

/** Why an upload of this size cannot be used; undefined if it can. */
export function sizeFault({ kind, width, height }: ImageSize): string | undefined {
  const found = `This one is ${width} × ${height} pixels.`
  if (kind === 'icon') {
    if (width !== height) return `Use a square image. ${found}`
    if (width >= SMALLEST_ICON) return undefined
    return `Use at least ${SMALLEST_ICON} × ${SMALLEST_ICON} pixels. ${found}`
  }
  const least = SMALLEST_SCREENSHOT
  if (width >= least.width && height >= least.height) return undefined
  return `Use at least ${least.width} × ${least.height} pixels. ${found}`
}

/** The widths in which an image is stored, smallest first. */
export function widthsOf({ kind, width }: Omit<ImageSize, 'height'>): number[] {
  return kind === 'screenshot' && width > SMALL_WIDTH ? [SMALL_WIDTH, width] : [width]
}

/** The name of an image's file, in the storage and in its URL. */
export function fileOf(id: ImageId, width: number): string {
  return `${id}-${width}.webp`
}

/** The URL path of an image's file. Its content never changes. */
export function pathOf(id: ImageId, width: number): string {
  return `/images/${fileOf(id, width)}`
}

/** The URL path of an app's icon; undefined if the app has none. */
export function iconPath({ icon_id }: { icon_id: ImageId | null }): string | undefined {
  return icon_id === null ? undefined : pathOf(icon_id, BOXES.icon.width)
}

/** What pages for one app show of it: its name, and the path of its icon if it has one. */
export function brandOf(app: { name: string; icon_id: ImageId | null }): {
  app_name: string
  app_icon: string | undefined
} {
  return { app_name: app.name, app_icon: iconPath(app) }
}

/** The image and the width in a file's name; undefined for any other text. */
export function readFile(name: string): { id: ImageId; width: number } | undefined {
  const [, text, width] = /^(img_\w+)-(\d{2,4})\.webp$/.exec(name) ?? []
  const id = readId('img', text)
  return id && { id, width: Number(width) }
}
