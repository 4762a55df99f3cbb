import { readFileSync } from 'node:fs'

const manifest = JSON.parse(readFileSync(new URL('../package.json', import.meta.url), 'utf8'))

/** The version of this package. */
export const VERSION: string = manifest.version

/** What this program calls itself: the change log of an app shows the part before the slash. */
export const USER_AGENT = `purser-cli/${VERSION}`
