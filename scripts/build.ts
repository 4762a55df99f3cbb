/**
 * Builds the browser assets, the packages, and JavaScript from the service's TypeScript. With
 * `--for-start`, the packages have only what the demo's sites import.
 */
import { parseArgs } from 'node:util'
import { buildAssets } from './build-assets.ts'
import { buildPackages } from './build-packages.ts'
import { buildSources } from './build-sources.ts'

const { values } = parseArgs({ options: { 'for-start': { type: 'boolean' } } })
await buildAssets()
buildSources()
await buildPackages(values['for-start'] ? 'modules' : 'all')
