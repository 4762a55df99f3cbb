import type { App, ListingMode } from './apps.ts'

type ListingState = Pick<App, 'listing_mode' | 'external_sales_enabled'>

/**
 * Why an app's listing mode may not be set, if so: `external` needs the approval for external
 * sales. An app that was external before approvals existed may stay so.
 */
export function listingModeFault(app: ListingState, to: ListingMode): string | undefined {
  if (to !== 'external' || app.listing_mode === 'external' || app.external_sales_enabled) {
    return undefined
  }
  return 'external requires approval for external sales, which this app does not have.'
}

/** Whether a change of an app's listing mode can only be reverted by the service's staff. */
export function isOneWay(app: ListingState, to: ListingMode): boolean {
  return app.listing_mode === 'external' && to === 'marketplace' && !app.external_sales_enabled
}
