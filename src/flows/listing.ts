/**
 * Changes that an app's seller, or an agent for the seller, makes to its listing and its plans.
 *
 * Each write locks its app, is validated as a whole, and is written as a whole with an entry in the
 * change log, or not at all. A dry run does the same and rolls back (spec: Agent-management
 * endpoint, replace_versions rules).
 */
export { copyLivePlans } from './listing/copy-live.ts'
export { describeProduct } from './listing/describe.ts'
export { replaceFeatures } from './listing/features.ts'
export { highlightPlan } from './listing/highlight.ts'
export { readListing, readVersions } from './listing/read.ts'
export { revertChange } from './listing/revert.ts'
export { replaceSections } from './listing/sections.ts'
export { type ListingChanges, updateListing } from './listing/update.ts'
export { addVersions, replaceVersions } from './listing/versions.ts'
export type { ListingWrite } from './listing/write.ts'
export type {
  AppListing,
  FieldChange,
  ListedVersion,
  ListingWriteResult,
  RefusedWrite,
  Removed,
} from './listing/write-result.ts'
