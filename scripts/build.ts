/** Builds the browser assets, the packages, and JavaScript from the service's TypeScript. */
import { buildAssets } from './build-assets.ts'
import { buildPackages } from './build-packages.ts'
import { buildSources } from './build-sources.ts'

await buildAssets()
buildSources()
await buildPackages()
