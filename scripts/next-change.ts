import { readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

const QUIET_MS = 200

/** Resolves when something in these folders has changed and then nothing for a moment. */
export async function nextChange(tops: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(resolve, QUIET_MS)
  }
  // Each folder separately: on Linux, Node's recursive watch loses a file that an editor replaces.
  const watchers = tops.flatMap(foldersOf).map((folder) => watch(folder, changed))
  await promise
  for (const watcher of watchers) watcher.close()
}

function foldersOf(top: string): string[] {
  const inside = readdirSync(top, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isDirectory())
    .map((entry) => join(entry.parentPath, entry.name))
    .filter((folder) => !folder.includes('node_modules'))
  return [top, ...inside]
}
