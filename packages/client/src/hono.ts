/** Middleware for Hono. */
import { attachEntitlement, attachLicense } from './attached.ts'
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

export { entitlementOf, licenseOf } from './attached.ts'
export type { EntitlementSource, LicenseSource, Refusal, RefusalCode } from './guard.ts'

/** For `new Hono<{ Variables: LicenseVariables }>()`: types `c.var.license`. */
export type LicenseVariables = { license: LicenseState }

/** For `new Hono<{ Variables: EntitlementVariables }>()`: types `c.var.entitlement`. */
export type EntitlementVariables = { entitlement: Entitlement }

/** The part of a context that is used. */
export type ContextWithHeaders = { req: { header(name: string): string | undefined } }

export type HonoOptions<State, Incoming extends ContextWithHeaders> = GuardOptions<Incoming> & {
  /** Answers a refused request in place of the default, which is JSON. */
  refuse?:
    | ((refusal: Refusal<State>, context: Incoming) => Response | Promise<Response>)
    | undefined
}

export type HonoMiddleware<Incoming> = (
  context: Incoming,
  next: () => Promise<void>,
) => Promise<Response | undefined>

/**
 * Lets requests with an entitled license key pass, with the license in `c.var.license` and
 * `licenseOf(c)`. Errors of your configuration are thrown.
 */
export function requireLicense<Incoming extends ContextWithHeaders = ContextWithHeaders>(
  licenses: LicenseSource,
  options: HonoOptions<LicenseState, Incoming> = {},
): HonoMiddleware<NoInfer<Incoming>> {
  return middlewareOf(options, licenseCheck(licenses, options), (context, license) => {
    attachLicense(context, license)
    setVariable(context, 'license', license)
  })
}

/**
 * Lets requests with an access token of an entitled person pass, with the entitlement in
 * `c.var.entitlement` and `entitlementOf(c)`. Errors of your configuration are thrown.
 */
export function requireEntitlement<Incoming extends ContextWithHeaders = ContextWithHeaders>(
  entitlements: EntitlementSource,
  options: HonoOptions<Entitlement, Incoming> = {},
): HonoMiddleware<NoInfer<Incoming>> {
  return middlewareOf(options, entitlementCheck(entitlements, options), (context, entitlement) => {
    attachEntitlement(context, entitlement)
    setVariable(context, 'entitlement', entitlement)
  })
}

function middlewareOf<
  State extends LicenseState | Entitlement,
  Incoming extends ContextWithHeaders,
>(
  { read, refuse = responseTo }: HonoOptions<State, Incoming>,
  check: CredentialCheck<State>,
  attach: (context: Incoming, state: State) => void,
): HonoMiddleware<Incoming> {
  return async (context, next) => {
    const credential = read ? await read(context) : bearerOf(context.req.header('authorization'))
    const verdict = await check(credential)
    if (!verdict.allowed) return await refuse(verdict.refusal, context)
    attach(context, verdict.state)
    await next()
    return undefined
  }
}

/** Hono's type of `set` depends on the app's variables, which are not known here. */
function setVariable(context: object, name: string, value: unknown): void {
  const { set } = context as { set?: (name: string, value: unknown) => void }
  set?.call(context, name, value)
}
