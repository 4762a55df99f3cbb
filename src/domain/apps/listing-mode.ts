import type { App, ListingMode } from './apps.ts'

type ListingState = Pick<App, 'listing_mode' | 'external_sales_enabled'>

/**
 * Why an app's listing mode may not be set, if so: `external` needs the approval for external
 * sales. An app that was external before approvals existed may stay external.
 */
export function listingModeFault(app: ListingState, to: ListingMode): string | undefined {
  if (to !== 'external' || app.listing_mode === 'external' || app.external_sales_enabled) {
    return undefined
  }
  return 'external requires approval for external sales, which this app does not have.'
}

/** Whether only the service's staff can revert a change of an app's listing mode. */
export function isOneWay(app: ListingState, to: ListingMode): boolean {
  return app.listing_mode === 'external' && to === 'marketplace' && !app.external_sales_enabled
}
