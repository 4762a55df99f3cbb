/** Builds everything that does not run from source: the browser assets and the client library. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildAssets } from './build-assets.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

await buildAssets()
execFileSync(`${root}node_modules/.bin/tsc`, ['-p', `${root}packages/client`], { stdio: 'inherit' })
