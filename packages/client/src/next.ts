/**
 * Guards for Next.js route handlers and middleware, and for every runtime whose handlers take a
 * standard Request: Bun, Deno, Cloudflare Workers.
 */
import {
  bearerOf,
  type CredentialCheck,
  type EntitlementSource,
  entitlementCheck,
  type GuardOptions,
  type LicenseSource,
  licenseCheck,
  type Refusal,
  responseTo,
} from './guard.ts'
import type { Entitlement, LicenseState } from './types.ts'

export type { EntitlementSource, LicenseSource, Refusal, RefusalCode } from './guard.ts'

export type NextOptions<State, Incoming extends Request> = GuardOptions<Incoming> & {
  /** Answers a refused request in place of the default, which is JSON. */
  refuse?:
    | ((refusal: Refusal<State>, request: Incoming) => Response | Promise<Response>)
    | undefined
}

/**
 * Wraps a route handler, which gets the license or entitlement as second argument and Next's
 * context as third. `middleware` is for middleware.ts (proxy.ts from Next 16): it returns a
 * response for a refused request, and undefined to continue.
 */
export type NextGuard<State, Incoming extends Request> = {
  <Context = unknown>(
    handler: (request: Incoming, state: State, context: Context) => Response | Promise<Response>,
  ): (request: Incoming, context: Context) => Promise<Response>
  middleware(request: Incoming): Promise<Response | undefined>
}

/** Guards handlers with a license key. Errors of your configuration are thrown. */
export function requireLicense<Incoming extends Request = Request>(
  licenses: LicenseSource,
  options: NextOptions<LicenseState, Incoming> = {},
): NextGuard<LicenseState, Incoming> {
  return guardOf(options, licenseCheck(licenses, options))
}

/** Guards handlers with an access token. Errors of your configuration are thrown. */
export function requireEntitlement<Incoming extends Request = Request>(
  entitlements: EntitlementSource,
  options: NextOptions<Entitlement, Incoming> = {},
): NextGuard<Entitlement, Incoming> {
  return guardOf(options, entitlementCheck(entitlements, options))
}

function guardOf<State extends LicenseState | Entitlement, Incoming extends Request>(
  { read, refuse = responseTo }: NextOptions<State, Incoming>,
  check: CredentialCheck<State>,
): NextGuard<State, Incoming> {
  const verdictOf = async (request: Incoming) =>
    check(read ? await read(request) : bearerOf(request.headers.get('authorization')))

  const wrap: NextGuard<State, Incoming> = (handler) => async (request, context) => {
    const verdict = await verdictOf(request)
    if (!verdict.allowed) return await refuse(verdict.refusal, request)
    return await handler(request, verdict.state, context)
  }
  wrap.middleware = async (request) => {
    const verdict = await verdictOf(request)
    return verdict.allowed ? undefined : await refuse(verdict.refusal, request)
  }
  return wrap
}
