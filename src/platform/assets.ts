import { readFileSync } from 'node:fs'
import { basename } from 'node:path'
import { sha256 } from '#platform/secrets'

/** What the build produces; only `app.css`, `app.js` and the icon are for every page. */
export type Asset =
  | 'app.css'
  | 'app.js'
  | 'passkey.js'
  | 'try-it.js'
  | 'docs.js'
  | 'components.js'
  | 'favicon.svg'

const folder = new URL('../../.build/assets/', import.meta.url)
const manifestFile = new URL('manifest.json', folder)
let manifest: Record<string, string> | undefined

function readManifest(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(manifestFile, 'utf8'))
  } catch (cause) {
    throw new Error('The stylesheet and script are not built yet: run npm run build', { cause })
  }
}

/**
 * The URL path of a built asset, with the hash of its content in the name, so that browsers may
 * cache it forever: `asset('app.css')` is `/assets/app-1f3c….css`.
 *
 * Throws when the build is missing or has no asset of that name.
 */
export function asset(name: Asset): string {
  manifest ??= readManifest()
  const file = manifest[name]
  if (!file) throw new Error(`The build has no asset ${name}: run npm run build`)
  return `/assets/${file}`
}

/**
 * The built file to answer with where a page names another one: with the hash of another release,
 * whose page a browser still shows or another node has sent. Undefined for any other name.
 */
export function presentAsset(file: string): string | undefined {
  manifest ??= readManifest()
  const name = file.replace(/-[0-9a-f]{12}(?=\.\w+$)/, '')
  const present = name === file || !Object.hasOwn(manifest, name) ? undefined : manifest[name]
  return present === file ? undefined : present
}

/** The hash of a built asset, for the attribute `integrity` of a page that loads it. */
export function integrityOf(name: Asset): string {
  const content = readFileSync(new URL(basename(asset(name)), folder))
  return `sha256-${sha256(content).toString('base64')}`
}
