/**
 * What an app's seller, or an agent in the seller's name, writes of its listing and its versions.
 *
 * Each write takes its app for itself, is judged whole, and is written whole with a line in the log
 * of changes, or not at all. A dry run is the same with its end rolled back (spec: Agent-management
 * endpoint, replace_versions rules).
 */
export { describeProduct } from './listing/describe.ts'
export { replaceFeatures } from './listing/features.ts'
export { readListing, readVersions } from './listing/read.ts'
export { revertChange } from './listing/revert.ts'
export { replaceSections } from './listing/sections.ts'
export { type ListingChanges, updateListing } from './listing/update.ts'
export { replaceVersions } from './listing/versions.ts'
export type {
  Altered,
  AppListing,
  ListedVersion,
  RefusedWrite,
  Removed,
  Written,
} from './listing/written.ts'
