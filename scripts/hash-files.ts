import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { relative } from 'node:path'
import { fileURLToPath } from 'node:url'

const root = fileURLToPath(new URL('..', import.meta.url))

export const hashOf = (content: string | Uint8Array) =>
  createHash('sha256').update(content).digest('hex')

/** Hashes the names and contents of files of this project; paths are absolute. */
export async function hashFiles(files: readonly string[]): Promise<string> {
  const hash = createHash('sha256')
  for (const file of files.toSorted()) {
    hash.update(`${relative(root, file)}\0${hashOf(await readFile(file))}\n`)
  }
  return hash.digest('hex')
}
