/**
 * Catalog: what is for sale.
 *
 * Knows an app's products ("versions" to sellers and their agents) and their prices. Owns
 * `products` and `prices`. Promises: a free product has no price, a product has one live price for
 * each frequency, ids of products and prices are kept for good, nothing that somebody subscribes to
 * or is buying is deleted, and every change is announced by the database, so that no cache outlives
 * it. Spec: Prices response, Price, replace_versions rules.
 */
export * from './products.ts'
export {
  type GivenPrice,
  type GivenVersion,
  MOST_PRICES,
  MOST_VERSIONS,
  PRODUCT_DESCRIPTION,
  VERSION_NAME,
} from './version.ts'
export {
  type ExistingVersion,
  findVersion,
  planVersions,
  type VersionPlan,
} from './version-plan.ts'
export * from './versions.ts'
