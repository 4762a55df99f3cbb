import type * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import * as listing from '#domain/listing'
import type { Db } from '#platform/db'
import type { AppId } from '#platform/ids'
import { formatAmount } from '#platform/money'
import type { AppListing, ListedVersion } from './write-result.ts'

/** The texts and names of an app's listing, without sections and features. */
export type ListingFields = Omit<AppListing, 'sections' | 'features'>

/** Reads the texts and names of an app's listing. */
export async function readListingFields(db: Db, app: apps.App): Promise<ListingFields> {
  const { category, industry, tag } = await listing.names(db, app.id)
  const { tagline, description, listing_mode } = app
  return {
    tagline,
    description,
    listing_mode,
    categories: category,
    industries: industry,
    tags: tag,
  }
}

/** Reads an app's whole listing (spec: get_app_listing). */
export async function readListing(db: Db, app: apps.App): Promise<AppListing> {
  return {
    ...(await readListingFields(db, app)),
    sections: await listing.sections(db, app.id),
    features: await listing.features(db, app.id),
  }
}

/** An app's products in order; those that are no longer sold come last and are not `is_active`. */
export async function readVersions(db: Db, app_id: AppId): Promise<ListedVersion[]> {
  return (await catalog.versions(db, app_id)).map((version) => ({
    product_public_id: version.id,
    name: version.name,
    description: version.description,
    is_free: version.is_free,
    is_active: version.is_live,
    trial_days: version.trial_days,
    prices: version.prices.map(({ id, amount, currency, frequency }) => ({
      public_id: id,
      amount: formatAmount(amount),
      currency,
      frequency,
    })),
  }))
}

/** The products that are for sale. */
export async function readActiveVersions(db: Db, app_id: AppId): Promise<ListedVersion[]> {
  return (await readVersions(db, app_id)).filter(({ is_active }) => is_active)
}
