import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'

const PACKAGE = fileURLToPath(new URL('../../package.json', import.meta.url))

/** The version of this release, as `0.1.0`. */
export const RELEASE = (JSON.parse(readFileSync(PACKAGE, 'utf8')) as { version: string }).version

/** Whether release `a` is older than release `b`; both as `1.2.3`. */
export function isOlder(a: string, b: string): boolean {
  const [left, right] = [a, b].map((release) => release.split('.').map(Number))
  const index = left!.findIndex((part, at) => part !== right![at])
  return index >= 0 && left![index]! < right![index]!
}
