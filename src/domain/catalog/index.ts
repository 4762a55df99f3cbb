/**
 * Catalog: what is for sale.
 *
 * Knows an app's products ("versions" to sellers and their agents) and their prices. Owns
 * `products` and `prices`. Guarantees: a free product has no price, a product has one live price
 * for each frequency, ids of products and prices are permanent, a product with subscribers or a
 * pending purchase is never deleted, and the database announces every change, so that no cache
 * outlives it. Spec: Prices response, Price, replace_versions rules.
 */
export * from './products.ts'
export {
  MAX_PRICES,
  MAX_VERSIONS,
  PRODUCT_DESCRIPTION,
  type PriceInput,
  VERSION_NAME,
  type VersionInput,
} from './version.ts'
export {
  type ExistingVersion,
  findVersion,
  planVersions,
  soldVersion,
  type VersionPlan,
} from './version-plan.ts'
export * from './versions.ts'
