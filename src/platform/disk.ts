import { existsSync } from 'node:fs'
import { statfs } from 'node:fs/promises'
import { dirname } from 'node:path'

export const MEBIBYTE = 2 ** 20

/** With fewer free bytes than this, an embedded database is not created: its files take half. */
export const LEAST_SPACE = 100 * MEBIBYTE

/** The free space, in bytes, of the disk that has or will have this folder. */
export async function freeSpace(folder: string): Promise<number> {
  const { bavail, bsize } = await statfs(existingPart(folder))
  return bavail * bsize
}

/** A path, or the nearest folder above it that exists. */
export function existingPart(path: string): string {
  let folder = path
  while (!existsSync(folder) && folder !== dirname(folder)) folder = dirname(folder)
  return folder
}
