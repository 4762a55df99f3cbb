/** Middleware for Express, and for other frameworks with Node's requests and responses. */
import { attachEntitlement, attachLicense } from './attached.ts'
import {
  bearerOf,
  bodyOf,
  type CredentialCheck,
  type EntitlementSource,
  entitlementCheck,
  type GuardOptions,
  type LicenseSource,
  licenseCheck,
  type Refusal,
} from './guard.ts'
import type { Entitlement, LicenseState } from './types.ts'

export { entitlementOf, licenseOf } from './attached.ts'
export type { EntitlementSource, LicenseSource, Refusal, RefusalCode } from './guard.ts'

declare global {
  namespace Express {
    interface Request {
      /** Set by `requireLicense`. */
      license?: LicenseState
      /** Set by `requireEntitlement`. */
      entitlement?: Entitlement
    }
  }
}

/** The part of a request that is used. */
export type NodeRequest = { headers: { authorization?: string | undefined } }

/** The part of a response that is used. */
export type NodeResponse = {
  statusCode: number
  setHeader(name: string, value: string): unknown
  end(body: string): unknown
}

export type Next = (error?: unknown) => void

export type ExpressOptions<
  State,
  Incoming extends NodeRequest,
  Outgoing extends NodeResponse,
> = GuardOptions<Incoming> & {
  /** Answers a refused request in place of the default, which is JSON. */
  refuse?:
    | ((refusal: Refusal<State>, request: Incoming, response: Outgoing, next: Next) => unknown)
    | undefined
}

export type ExpressHandler<Incoming, Outgoing> = (
  request: Incoming,
  response: Outgoing,
  next: Next,
) => Promise<void>

/**
 * Lets requests with an entitled license key pass, with the license in `req.license` and
 * `licenseOf(req)`. Errors of your configuration are passed to `next`.
 */
export function requireLicense<
  Incoming extends NodeRequest = NodeRequest,
  Outgoing extends NodeResponse = NodeResponse,
>(
  licenses: LicenseSource,
  options: ExpressOptions<LicenseState, Incoming, Outgoing> = {},
): ExpressHandler<NoInfer<Incoming>, NoInfer<Outgoing>> {
  return handlerOf(options, licenseCheck(licenses, options), (request, license) => {
    attachLicense(request, license)
    Object.assign(request, { license })
  })
}

/**
 * Lets requests with an access token of an entitled person pass, with the entitlement in
 * `req.entitlement` and `entitlementOf(req)`. Errors of your configuration are passed to `next`.
 */
export function requireEntitlement<
  Incoming extends NodeRequest = NodeRequest,
  Outgoing extends NodeResponse = NodeResponse,
>(
  entitlements: EntitlementSource,
  options: ExpressOptions<Entitlement, Incoming, Outgoing> = {},
): ExpressHandler<NoInfer<Incoming>, NoInfer<Outgoing>> {
  return handlerOf(options, entitlementCheck(entitlements, options), (request, entitlement) => {
    attachEntitlement(request, entitlement)
    Object.assign(request, { entitlement })
  })
}

function handlerOf<State, Incoming extends NodeRequest, Outgoing extends NodeResponse>(
  { read, refuse = sendJson }: ExpressOptions<State, Incoming, Outgoing>,
  check: CredentialCheck<State>,
  attach: (request: Incoming, state: State) => void,
): ExpressHandler<Incoming, Outgoing> {
  return async (request, response, next) => {
    try {
      const credential = read ? await read(request) : bearerOf(request.headers.authorization)
      const verdict = await check(credential)
      if (!verdict.allowed) return void (await refuse(verdict.refusal, request, response, next))
      attach(request, verdict.state)
    } catch (error) {
      return next(error)
    }
    next()
  }
}

function sendJson(refusal: Refusal<unknown>, _request: unknown, response: NodeResponse): void {
  response.statusCode = refusal.status
  for (const [name, value] of Object.entries(refusal.headers)) response.setHeader(name, value)
  response.setHeader('content-type', 'application/json; charset=utf-8')
  response.end(JSON.stringify(bodyOf(refusal)))
}
