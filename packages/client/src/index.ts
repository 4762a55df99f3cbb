/**
 * The seller's library: buy links, live prices, license checks and hosted sign-in, with no
 * dependencies.
 */
export {
  type CacheEntry,
  type CacheOptions,
  type CacheStore,
  cachedEntitlements,
  cachedValidator,
  type EntitlementCache,
  type Validator,
} from './cached.ts'
export {
  type CallOptions,
  type Client,
  type ClientOptions,
  createClient,
  type Fetch,
  type ValidateOptions,
} from './client.ts'
export {
  type ErrorCode,
  type ErrorOf,
  type FieldFault,
  InsufficientScopeError,
  InvalidRequestError,
  isPurserError,
  LeaseError,
  PurserError,
  RateLimitedError,
  ServiceNotEnabledError,
  type SignInCode,
  SignInError,
  UnreachableError,
} from './errors.ts'
export {
  type Lease,
  type LeaseExpectations,
  type LeaseRequest,
  verifyLease,
} from './lease.ts'
export { buyLink, manageLink, serviceAddress } from './links.ts'
export {
  type AuthorizationLink,
  type AuthorizationOptions,
  createSignIn,
  type SignedIn,
  type SignIn,
  type SignInOptions,
} from './sign-in.ts'
export type { PublicKey } from './signed.ts'
export type { SignInTokens } from './tokens.ts'
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
  ValidatedLicense,
} from './types.ts'
