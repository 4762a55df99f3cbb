/**
 * Apps: what sellers sell, and the credentials with which an app's server calls.
 *
 * Knows apps, their clients, the hosted sign-in add-on, which URLs belong to an app, requests for
 * external sales, offers to transfer an app, icons and screenshots, the last integration checks,
 * and who changed what of an app. Owns `apps`, `app_images`, `app_transfers`, `add_on_switches`,
 * `approval_requests`, `clients`, `secret_claims`, `app_changes` and `integration_checks`.
 * Guarantees: a client secret is stored as a digest only (sealed for ten minutes while it can be
 * claimed once), a buyer is never sent to a URL that is not the app's, the add-on's free months are
 * granted once, and a recorded change is never altered. Spec: App profile, Integration settings,
 * Authentication.
 */
export { type AddOn, type AddOnDates, addOnOf } from './add-on.ts'
export { type AddressFacts, addressFindings, nearMiss } from './address-findings.ts'
export * from './app-list.ts'
export * from './approvals.ts'
export * from './apps.ts'
export * from './changes.ts'
export * from './checks.ts'
export {
  endClaims,
  isClaimable,
  openClaim,
  type SecretClaim,
  sweepClaims,
  takeClaim,
} from './claims.ts'
export * from './clients.ts'
export { type AppDetails, detailsFaults, readWebsite, slugOf } from './details.ts'
export { removeForeignUrls } from './foreign-urls.ts'
export * from './image.ts'
export * from './images.ts'
export { type Addresses, addressFaults, MAX_REDIRECT_URIS } from './integration.ts'
export { isOneWay, listingModeFault } from './listing-mode.ts'
export { differentSuspensions, mirrorApp, mirrorImage } from './mirrored.ts'
export { isRegistrable, readReturnUrl, registeredHost, withParameter } from './return-url.ts'
export * from './suspensions.ts'
export * from './test-clocks.ts'
export * from './transfers.ts'
export { hasPublicPrices, isSuspendedWithSeller, productPath } from './visibility.ts'
