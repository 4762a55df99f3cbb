import type sharp from 'sharp'
import { Problem } from '#platform/problem'

/** What an uploaded picture may be; larger ones are refused. */
export const PICTURE_LIMITS = { bytes: 5 * 1024 * 1024, pixels: 16_000_000 }

/** Width and height in pixels, as a person sees the picture. */
export interface PictureSize {
  width: number
  height: number
}

/** An encoded picture. */
export interface Picture extends PictureSize {
  content: Buffer
}

/** Why a file cannot be used as a picture. */
export type PictureFault = 'not_a_picture' | 'too_many_pixels' | 'too_many_bytes'

/** Reads and encodes pictures from outside, off the event loop. */
export interface Pictures {
  /** The size of a PNG, JPEG or WebP picture, or why the file is none. */
  measure(content: Buffer): Promise<PictureSize | PictureFault>
  /**
   * A WebP picture that contains the first frame's pixels and nothing else of the file, fitted into
   * a box without enlarging it. Throws a Problem (503) if too many wait.
   */
  encode(content: Buffer, box: PictureSize): Promise<Picture | PictureFault>
}

/** The content type of every encoded picture. */
export const PICTURE_TYPE = 'image/webp'

const RUNNING = 2
const WAITING = 16
const SECONDS = 10
const RETRY_SECONDS = 5
const QUALITY = 84

type Sharp = typeof sharp

let loading: Promise<Sharp> | undefined

/** The library. It is loaded for the first picture, as most processes never see one. */
function library(): Promise<Sharp> {
  loading ??= load()
  return loading
}

async function load(): Promise<Sharp> {
  const { default: loaded } = await import('sharp')
  // No other parser of the library sees bytes from outside: not SVG, PDF, TIFF or a nested format.
  loaded.block({ operation: ['VipsForeignLoad'] })
  loaded.unblock({
    operation: [
      'VipsForeignLoadJpegBuffer',
      'VipsForeignLoadPngBuffer',
      'VipsForeignLoadWebpBuffer',
    ],
  })
  loaded.cache(false)
  loaded.concurrency(1)
  return loaded
}

/** Opens the encoder. At most two pictures are decoded at a time, which bounds their memory. */
export function openPictures(): Pictures {
  const inTurn = openQueue()
  return {
    async measure(content) {
      if (content.length > PICTURE_LIMITS.bytes) return 'too_many_bytes'
      const loaded = await library()
      return await refusingFaults(async () => {
        const { autoOrient } = await inTurn(() => open(loaded, content).metadata())
        return { width: autoOrient.width, height: autoOrient.height }
      })
    },
    async encode(content, { width, height }) {
      const loaded = await library()
      return await refusingFaults(async () => {
        const made = await inTurn(() =>
          open(loaded, content)
            .resize({ width, height, fit: 'inside', withoutEnlargement: true })
            .webp({ quality: QUALITY })
            .timeout({ seconds: SECONDS })
            .toBuffer({ resolveWithObject: true }),
        )
        return { content: made.data, width: made.info.width, height: made.info.height }
      })
    },
  }
}

/** A picture's first frame, turned as its metadata says; metadata is not written again. */
function open(loaded: Sharp, content: Buffer) {
  const { pixels: limitInputPixels } = PICTURE_LIMITS
  return loaded(content, { limitInputPixels, pages: 1, failOn: 'error' }).autoOrient()
}

/** The library's errors are about the file, except for a refusal of our own. */
async function refusingFaults<T>(work: () => Promise<T>): Promise<T | PictureFault> {
  try {
    return await work()
  } catch (error) {
    if (error instanceof Problem) throw error
    return /pixel limit/.test(String(error)) ? 'too_many_pixels' : 'not_a_picture'
  }
}

function openQueue() {
  let running = 0
  const waiting: (() => void)[] = []
  return async <T>(work: () => Promise<T>): Promise<T> => {
    if (running >= RUNNING) {
      if (waiting.length >= WAITING) throw tooMany()
      await new Promise<void>((resolve) => waiting.push(resolve))
    } else running++
    try {
      return await work()
    } finally {
      const next = waiting.shift()
      if (next) next()
      else running--
    }
  }
}

function tooMany(): Problem {
  const message = 'Too many images are being processed right now. Try again in a few seconds.'
  return new Problem(503, 'service_unavailable', message, { retry_after: RETRY_SECONDS })
}
