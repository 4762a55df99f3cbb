import { readdirSync, watch } from 'node:fs'
import { join } from 'node:path'

const QUIET_MS = 200

/** Resolves once something in these folders has changed and then nothing did for a moment. */
export async function nextChange(tops: readonly string[]): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  let timer: NodeJS.Timeout | undefined
  const changed = () => {
    clearTimeout(timer)
    timer = setTimeout(resolve, QUIET_MS)
  }
  // Folder by folder: Node's recursive watch loses a file on Linux once an editor has replaced it.
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
