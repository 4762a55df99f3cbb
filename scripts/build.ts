/** Builds the browser assets, the packages, and JavaScript from the service's TypeScript. */
import { execFileSync } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { buildAssets } from './build-assets.ts'
import { buildSources } from './build-sources.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

await buildAssets()
buildSources()
const tsc = `${root}node_modules/.bin/tsc`
// The client comes first: the command line program is compiled with its types.
execFileSync(process.execPath, [`${root}packages/client/build.mjs`], { stdio: 'inherit' })
for (const name of ['cli', 'components']) {
  execFileSync(tsc, ['-p', `${root}packages/${name}`], { stdio: 'inherit' })
}
