/** The seller's library: buy links, live prices and license checks, with no dependencies. */
export { type CacheEntry, type CacheStore, cachedValidator, type Validator } from './cached.ts'
export { type Client, type ClientOptions, createClient, type Fetch } from './client.ts'
export {
  type ErrorCode,
  type FieldFault,
  InvalidRequestError,
  PurserError,
  RateLimitedError,
  ServiceNotEnabledError,
  UnreachableError,
} from './errors.ts'
export { buyLink, manageLink } from './links.ts'
export type {
  AppProfile,
  Entitlement,
  EntitlementStatus,
  Frequency,
  LicenseState,
  LicenseStatus,
  OrderLicense,
  Price,
  Prices,
  ProcessingOrder,
  RegeneratedKey,
} from './types.ts'
