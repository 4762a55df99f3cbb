/**
 * Builds the browser assets, the packages, and JavaScript from the service's TypeScript. With
 * `--for-start`, the packages have only what the demo's sites import.
 */
import { buildAssets } from './build-assets.ts'
import { buildPackages } from './build-packages.ts'
import { buildSources } from './build-sources.ts'
import { readArguments } from './read-arguments.ts'

const USAGE = `Usage: npm run build

Builds the browser assets, the packages, and JavaScript from the service's TypeScript.

  --for-start   of the packages only what the demo's sites import`

const { values } = readArguments(USAGE, { options: { 'for-start': { type: 'boolean' } } })
const parts = values['for-start'] ? 'modules' : 'all'
// The asset tools are separate processes and leave one core to the compiler.
await Promise.all([buildAssets(), buildSources().then(() => buildPackages(parts))])
