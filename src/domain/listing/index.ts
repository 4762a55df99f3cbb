/**
 * Listing: the content of a product page beyond an app's name and short texts.
 *
 * Knows detail sections, the feature table, and the categories, industries and tags by which apps
 * are found, and the search itself. Owns `listing_sections`, `listing_features`,
 * `listing_feature_products`, `listing_names` and `listing_app_names`. Guarantees: a body contains
 * no HTML except what decision 22 allows; all faults of an input are returned at once; the database
 * announces every change. Spec: Listing content limits.
 */
export * from './content.ts'
export * from './features.ts'
export { ALLOWED_ELEMENTS, asWritten, cleanHtml } from './html.ts'
export * from './names.ts'
export * from './search.ts'
export * from './sections.ts'
