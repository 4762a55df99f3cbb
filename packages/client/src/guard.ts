/**
 * What the middleware of all frameworks shares: who may pass, and what the others get. A framework
 * only reads the key or token, and sends the refusal.
 */
import {
  InsufficientScopeError,
  isPurserError,
  PurserError,
  RateLimitedError,
  ServiceNotEnabledError,
  UnreachableError,
} from './errors.ts'
import type { Entitlement, LicenseState } from './types.ts'

/** A client, or better a `cachedValidator`. */
export type LicenseSource = { validate(key: string): Promise<LicenseState> }

/** A client, or better a `cachedEntitlements`. */
export type EntitlementSource = { entitlement(access_token: string): Promise<Entitlement> }

/**
 * Why a request was refused. `credentials_required`: there was no key or token. `unknown_key` and
 * `invalid_token`: it is not, or no longer, valid. `not_entitled`: the license is not active.
 * `plan_required`: another plan is needed. `unavailable`: the license cannot be checked right now.
 */
export type RefusalCode =
  | 'credentials_required'
  | 'unknown_key'
  | 'invalid_token'
  | 'insufficient_scope'
  | 'not_entitled'
  | 'plan_required'
  | 'service_not_enabled'
  | 'unavailable'

/** A refused request; `state` is the license or the entitlement, if there is one. */
export type Refusal<State = LicenseState | Entitlement> = {
  status: 401 | 402 | 403 | 503
  code: RefusalCode
  /** An English sentence that names the next step. */
  message: string
  /** `WWW-Authenticate` or `Retry-After`, in lowercase. */
  headers: Record<string, string>
  state: State | null
}

export type Verdict<State> =
  | { allowed: true; state: State }
  | { allowed: false; refusal: Refusal<State> }

/** A key or a token, if the request has one. */
export type Credential = string | null | undefined

/** What middleware is given in every framework. */
export type GuardOptions<Incoming> = {
  /**
   * Reads the key or token, such as from your session. Without it, the Bearer token of the
   * Authorization header is used.
   */
  read?: ((request: Incoming) => Credential | Promise<Credential>) | undefined
  /** Accepts these plans only, by `product_public_id`. Default: every entitled plan. */
  products?: readonly string[] | undefined
}

/** Judges the key or token of a request. */
export type CredentialCheck<State> = (credential: Credential) => Promise<Verdict<State>>

/**
 * Judges license keys. Throws TypeError for a source without `validate` and for `products` that are
 * none. The check throws errors that are not about this visitor, such as `invalid_client`, with the
 * status 500.
 */
export function licenseCheck(
  licenses: LicenseSource,
  { products }: Pick<GuardOptions<never>, 'products'>,
): CredentialCheck<LicenseState> {
  requireMethod(licenses?.validate, 'requireLicense', 'cachedValidator')
  requireProducts(products)
  return (key) => judge(key, products, 'unknown_key', (secret) => licenses.validate(secret))
}

/** Judges access tokens. Throws like `licenseCheck`. */
export function entitlementCheck(
  entitlements: EntitlementSource,
  { products }: Pick<GuardOptions<never>, 'products'>,
): CredentialCheck<Entitlement> {
  requireMethod(entitlements?.entitlement, 'requireEntitlement', 'cachedEntitlements')
  requireProducts(products)
  return (token) =>
    judge(token, products, 'invalid_token', (secret) => entitlements.entitlement(secret))
}

function requireMethod(method: unknown, name: string, cache: string): void {
  if (typeof method === 'function') return
  throw new TypeError(`${name} needs a client, or ${cache}(client), as its first argument`)
}

/** A text in place of the list would accept every plan whose ID is a part of it. */
function requireProducts(products: unknown): void {
  if (products === undefined) return
  if (Array.isArray(products) && products.every((id) => String(id).startsWith('prod_'))) return
  throw new TypeError(
    'products must list the product_public_id of each plan, which starts with "prod_"',
  )
}

/** The Bearer token of an Authorization header. */
export function bearerOf(authorization: unknown): string | undefined {
  return typeof authorization === 'string'
    ? /^Bearer +(\S+) *$/i.exec(authorization)?.[1]
    : undefined
}

/** The body of a refusal. */
export function bodyOf({ code, message }: Refusal<unknown>): {
  error: RefusalCode
  message: string
} {
  return { error: code, message }
}

/** The response to a refusal, for frameworks with standard requests and responses. */
export function responseTo(refusal: Refusal<unknown>): Response {
  const { status, headers } = refusal
  return Response.json(bodyOf(refusal), { status, headers })
}

async function judge<State extends { entitled: boolean; product_public_id: string }>(
  secret: Credential,
  products: readonly string[] | undefined,
  malformed: RefusalCode,
  ask: (secret: string) => Promise<State>,
): Promise<Verdict<State>> {
  if (!secret) return { allowed: false, refusal: refusalOf('credentials_required') }
  // Frameworks read a parameter that a URL repeats as a list.
  if (typeof secret !== 'string') return { allowed: false, refusal: refusalOf(malformed) }
  let state: State
  try {
    state = await ask(secret)
  } catch (error) {
    return { allowed: false, refusal: explain(error) }
  }
  if (!state.entitled) return { allowed: false, refusal: refusalOf('not_entitled', state) }
  if (products && !products.includes(state.product_public_id)) {
    return { allowed: false, refusal: refusalOf('plan_required', state) }
  }
  return { allowed: true, state }
}

function explain(error: unknown): Refusal<never> {
  if (isPurserError(error, 'unknown_key')) return refusalOf('unknown_key')
  if (isPurserError(error, 'invalid_token')) return refusalOf('invalid_token')
  if (error instanceof InsufficientScopeError) return refusalOf('insufficient_scope')
  if (error instanceof ServiceNotEnabledError) return refusalOf('service_not_enabled')
  if (error instanceof UnreachableError || error instanceof RateLimitedError) {
    const retry_after = Math.max(1, Math.ceil(error.retry_after ?? 5))
    return { ...refusalOf('unavailable'), headers: { 'retry-after': String(retry_after) } }
  }
  throw isPurserError(error) ? misconfigured(error) : error
}

/**
 * An error that is not about the visitor. Express and Fastify answer with the `status` of an error,
 * and the 401 of a wrong secret would say that the visitor's key is wrong.
 */
function misconfigured(cause: PurserError): PurserError {
  const { message, code, request_id } = cause
  return new PurserError(message, { status: 500, code, request_id, cause })
}

const REFUSALS: Record<RefusalCode, [Refusal['status'], string, challenge?: string]> = {
  credentials_required: [401, 'Sign in, or send a license key.', 'Bearer'],
  unknown_key: [401, 'This license key is not valid.', 'Bearer error="invalid_token"'],
  invalid_token: [401, 'The sign-in has ended. Sign in again.', 'Bearer error="invalid_token"'],
  insufficient_scope: [
    403,
    'The access token lacks the scope "entitlements". Sign in again.',
    'Bearer error="insufficient_scope", scope="entitlements"',
  ],
  not_entitled: [402, 'There is no active license. Buy or renew a plan.'],
  plan_required: [403, 'Your plan does not include this. Change your plan.'],
  service_not_enabled: [503, 'Plans cannot be checked right now.'],
  unavailable: [503, 'Licenses cannot be checked right now. Try again later.'],
}

function refusalOf<State>(code: RefusalCode, state: State | null = null): Refusal<State> {
  const [status, message, challenge] = REFUSALS[code]
  return {
    status,
    code,
    message,
    headers: challenge ? { 'www-authenticate': challenge } : {},
    state,
  }
}
