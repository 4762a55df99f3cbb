/**
 * Listing: what a product page says beyond an app's name and lines.
 *
 * Knows detail sections, the feature table, and the categories, industries and tags that apps are
 * found by. Owns `listing_sections`, `listing_features`, `listing_feature_products`,
 * `listing_names` and `listing_app_names`. Promises: a body holds no HTML but what decision 22
 * allows, whoever wrote it and when; all faults of an input are told at once; a change is announced
 * by the database. Spec: Listing content limits.
 */
export * from './content.ts'
export * from './features.ts'
export { ALLOWED_ELEMENTS, asWritten, cleanHtml } from './html.ts'
export * from './names.ts'
export * from './sections.ts'
