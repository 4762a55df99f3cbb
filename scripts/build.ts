/**
 * Builds the browser assets, the packages, and JavaScript from the service's TypeScript. With
 * `--for-start`, the packages have only what the demo's sites import.
 */
import { parseArgs } from 'node:util'
import { buildAssets } from './build-assets.ts'
import { buildPackages } from './build-packages.ts'
import { buildSources } from './build-sources.ts'

const { values } = parseArgs({ options: { 'for-start': { type: 'boolean' } } })
const parts = values['for-start'] ? 'modules' : 'all'
// The tools that build the assets are programs of their own, and leave a core to the compiler.
await Promise.all([buildAssets(), buildSources().then(() => buildPackages(parts))])
