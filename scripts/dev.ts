/**
 * Builds what changed and starts the service: what `npm run dev` runs at first and, by Node's
 * `--watch-path`, again after each change of a source, page, style, migration or legal text.
 */
import './build.ts'

// Not a static import: the service reads the names of the assets that the build has made.
await import('../src/main.ts')
