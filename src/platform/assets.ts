import { readFileSync } from 'node:fs'

/** What the build makes; `passkey.js` is for the pages alone that ask for a passkey. */
export type Asset = 'app.css' | 'app.js' | 'passkey.js' | 'favicon.svg'

const manifestFile = new URL('../../.build/assets/manifest.json', import.meta.url)
let manifest: Record<string, string> | undefined

function readManifest(): Record<string, string> {
  try {
    return JSON.parse(readFileSync(manifestFile, 'utf8'))
  } catch (cause) {
    throw new Error('The stylesheet and script are not built yet: run npm run build', { cause })
  }
}

/**
 * The address of a built asset, with the hash of its content in the name, so that a browser may
 * keep it for good: `asset('app.css')` is `/assets/app-1f3c….css`.
 *
 * Throws when the build is missing, or never makes an asset of that name.
 */
export function asset(name: Asset): string {
  manifest ??= readManifest()
  const file = manifest[name]
  if (!file) throw new Error(`The build has no asset ${name}: run npm run build`)
  return `/assets/${file}`
}
