/** The errors of the service as one family (spec: Errors). None contains a secret. */

/**
 * The codes of the service, then the three that the client uses if no code was sent, then those of
 * leases and of hosted sign-in.
 */
export type ErrorCode =
  | 'Client is not linked to an app'
  | 'insufficient_scope'
  | 'invalid_client'
  | 'invalid_request'
  | 'invalid_token'
  | 'license_canceled'
  | 'not_found'
  | 'service_not_enabled'
  | 'unknown_key'
  | 'unknown_license'
  | 'unknown_order'
  | 'rate_limited'
  | 'unexpected_answer'
  | 'unreachable'
  | LeaseCode
  | SignInCode

/** Why a lease gives no right to use the app. */
type LeaseCode = 'invalid_lease' | 'lease_expired'

/**
 * Why a sign-in or a refresh failed. `access_denied`: the person canceled. `invalid_grant`: the
 * code or the refresh token no longer works; sign in again. `login_expired`, `state_mismatch`: this
 * browser did not start the sign-in, or too long ago. The others mean that a response is not the
 * service's. The service may also return the codes of OAuth 2.0 and OpenID Connect, such as
 * `login_required`.
 */
export type SignInCode =
  | 'access_denied'
  | 'invalid_grant'
  | 'invalid_id_token'
  | 'invalid_response'
  | 'issuer_mismatch'
  | 'login_expired'
  | 'state_mismatch'

/** `status` and `request_id` are missing or null if there was no response. */
export type ErrorDetails = {
  status?: number | null
  code: string
  request_id?: string | null
  cause?: unknown
}

export type FieldFault = { path: string; message: string }

/**
 * The base class of all errors. `message` is an English sentence; `code` distinguishes them.
 * `instanceof` is true for errors of another copy of the library as well: a program may load the
 * ES modules and the CommonJS build.
 */
export class PurserError extends Error {
  /** Names the class in every copy of the library. */
  protected static readonly kind: string = '@purser/client PurserError'
  override readonly name: string = 'PurserError'
  /** The HTTP status. */
  readonly status: number | null
  /** An `ErrorCode`, or a code that is newer than this client. */
  readonly code: ErrorCode | (string & Record<never, never>)
  /** Quote this when you ask for help. */
  readonly request_id: string | null

  constructor(message: string, details: ErrorDetails) {
    super(message, details)
    this.status = details.status ?? null
    this.code = details.code
    this.request_id = details.request_id ?? null
  }

  static override [Symbol.hasInstance](value: unknown): boolean {
    // biome-ignore lint/complexity/noThisInStatic: the classes that extend it inherit the method
    return isInstance(value, this)
  }
}

/** True if a prototype of `value` belongs to the class, or to its counterpart in another copy. */
function isInstance(value: unknown, of: { prototype: object }): boolean {
  const kind = kindOf(of)
  for (let each = prototypeOf(value); each !== null; each = prototypeOf(each)) {
    if (each === of.prototype) return true
    if (kind !== undefined && kindOf(each.constructor) === kind) return true
  }
  return false
}

/** What an own class of the library is called; undefined for classes that extend one. */
function kindOf(of: unknown): unknown {
  return typeof of === 'function' && Object.hasOwn(of, 'kind')
    ? (of as { kind?: unknown }).kind
    : undefined
}

function prototypeOf(value: unknown): object | null {
  return typeof value === 'object' && value !== null ? Object.getPrototypeOf(value) : null
}

/** 429: too many requests. Nothing was done; retry after `retry_after` seconds. */
export class RateLimitedError extends PurserError {
  protected static override readonly kind = '@purser/client RateLimitedError'
  override readonly name = 'RateLimitedError'
  readonly retry_after: number

  constructor(message: string, details: ErrorDetails & { retry_after: number }) {
    super(message, details)
    this.retry_after = details.retry_after
  }
}

/** 400 `invalid_request`: `fields` names every invalid field at once. */
export class InvalidRequestError extends PurserError {
  protected static override readonly kind = '@purser/client InvalidRequestError'
  override readonly name = 'InvalidRequestError'
  readonly fields: FieldFault[]

  constructor(message: string, details: ErrorDetails & { fields: FieldFault[] }) {
    super(message, details)
    this.fields = details.fields
  }
}

/**
 * 403 `service_not_enabled`: the app's hosted sign-in add-on is off. The user can do nothing about
 * it; turn it on in the dashboard. Sign-in itself keeps working.
 */
export class ServiceNotEnabledError extends PurserError {
  protected static override readonly kind = '@purser/client ServiceNotEnabledError'
  override readonly name = 'ServiceNotEnabledError'
}

/** 403 `insufficient_scope`: the access token lacks the scope that `scope` names. */
export class InsufficientScopeError extends PurserError {
  protected static override readonly kind = '@purser/client InsufficientScopeError'
  override readonly name = 'InsufficientScopeError'
  readonly scope: string

  constructor(message: string, details: ErrorDetails & { scope: string }) {
    super(message, details)
    this.scope = details.scope
  }
}

/**
 * No usable response: a network error, a timeout, or a 5xx after the safe retries. `retry_after` is
 * the seconds that the response named, or null.
 */
export class UnreachableError extends PurserError {
  protected static override readonly kind = '@purser/client UnreachableError'
  override readonly name = 'UnreachableError'
  readonly retry_after: number | null

  constructor(message: string, details: ErrorDetails & { retry_after?: number | null }) {
    super(message, details)
    this.retry_after = details.retry_after ?? null
  }
}

/** A sign-in or a refresh that failed; `code` is a `SignInCode`, or the OAuth error. */
export class SignInError extends PurserError {
  protected static override readonly kind = '@purser/client SignInError'
  override readonly name = 'SignInError'
}

/** A lease that proves nothing; `code` says why. */
export class LeaseError extends PurserError {
  protected static override readonly kind = '@purser/client LeaseError'
  override readonly name = 'LeaseError'
}

/** The classes of the codes that have one of their own. */
type Classes = {
  rate_limited: RateLimitedError
  unreachable: UnreachableError
  insufficient_scope: InsufficientScopeError
  service_not_enabled: ServiceNotEnabledError
  /** The redirect of a sign-in may have this code too, and names no field. */
  invalid_request: InvalidRequestError | (PurserError & { readonly fields?: undefined })
} & Record<LeaseCode, LeaseError> &
  Record<SignInCode, SignInError>

/** Those of the codes above that only a response has, or a lease: no redirect of a sign-in. */
const NOT_REDIRECTED = /lease|^(rate_limited|unreachable|insufficient_scope|service_not_enabled)$/

/** True for a code whose errors have a class of their own, which a redirect cannot fill. */
export function isResponseCode(code: string): boolean {
  return NOT_REDIRECTED.test(code)
}

/** An error with one of these codes. */
export type ErrorOf<Code extends ErrorCode> = Code extends ErrorCode
  ? (Code extends keyof Classes ? Classes[Code] : PurserError) & { readonly code: Code }
  : never

/** True for an error of this library; with codes, only for an error with one of them. */
export function isPurserError<Code extends ErrorCode>(
  error: unknown,
  ...codes: [Code, ...Code[]]
): error is ErrorOf<Code>
export function isPurserError(error: unknown, ...codes: ErrorCode[]): error is PurserError
export function isPurserError(error: unknown, ...codes: ErrorCode[]): boolean {
  if (!(error instanceof PurserError)) return false
  return codes.length === 0 || codes.some((code) => code === error.code)
}
