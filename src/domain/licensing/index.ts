/**
 * Licensing: whether a person may use an app.
 *
 * Knows licenses, their statuses and the transitions between them, their keys and those of other
 * services, the references by which a seller's server fetches an order, and how often each was
 * used. Owns `licenses`, `license_key_aliases`, `license_history` and `license_uses`. Guarantees:
 * one live license for a buyer and app, and one preview for its seller; what a seller gives (a
 * comp) or imports is never charged, unless its buyer continues an import with a card; a key is
 * found by a keyed hash and shown to its owner only, one that was replaced opens nothing again, and
 * an app learns nothing of another app's keys. Spec: LicenseState, States and transitions, License
 * key endpoints.
 */
export * from './aliases.ts'
export * from './comps.ts'
export { ENTITLEMENT_STATUSES, type Entitlement, entitlementOf } from './entitlement.ts'
export * from './entitlements.ts'
export * from './imported.ts'
export { isWellFormedKey, keyHash, keyHashes, keyName, readAlias, showKey } from './key.ts'
export * from './lease.ts'
export * from './licenses.ts'
export * from './lookups.ts'
export { readReference, signReference } from './order-reference.ts'
export { endPreview, findPreview, grantPreview, type PreviewHolder } from './previews.ts'
export { USE_SWEEP } from './retention.ts'
export { type Rotation, rotate } from './rotation.ts'
export { type LicenseFacts, type LicenseState, stateOf } from './state.ts'
export {
  isEntitled,
  isInDunning,
  isRunning,
  LICENSE_STATUSES,
  type LicenseStatus,
  type OwnerRoute,
  ownerRoute,
} from './status.ts'
export {
  BEGINNINGS,
  endOfUncharged,
  isUncharged,
  mayTransition,
  TRANSITIONS,
  type Transition,
  type Trigger,
} from './transition.ts'
export * from './transitions.ts'
export * from './uses.ts'
