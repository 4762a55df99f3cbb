/**
 * Catalog: what is for sale.
 *
 * Knows an app's products and their prices. Owns `products` and `prices`. Promises: a free product
 * has no price, a product has one live price for each frequency, and every change is
 * announced by the database, so that no cache outlives it. Spec: Prices response, Price.
 */
export * from './products.ts'
