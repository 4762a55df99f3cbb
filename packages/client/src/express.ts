/** Middleware for Express, and for other frameworks with Node's requests and responses. */
import { attachEntitlement, attachLicense } from './attached.ts'
import {
  bearerOf,
  bodyOf,
  type EntitlementSource,
  entitlementCheck,
  type GuardOptions,
  type LicenseSource,
  licenseCheck,
  type Refusal,
  type Verdict,
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
  const check = licenseCheck(licenses, options)
  return handlerOf(options, async (request, credential) => {
    const verdict = await check(credential)
    if (verdict.allowed) {
      attachLicense(request, verdict.state)
      Object.assign(request, { license: verdict.state })
    }
    return verdict
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
  const check = entitlementCheck(entitlements, options)
  return handlerOf(options, async (request, credential) => {
    const verdict = await check(credential)
    if (verdict.allowed) {
      attachEntitlement(request, verdict.state)
      Object.assign(request, { entitlement: verdict.state })
    }
    return verdict
  })
}

function handlerOf<State, Incoming extends NodeRequest, Outgoing extends NodeResponse>(
  { read, refuse = sendJson }: ExpressOptions<State, Incoming, Outgoing>,
  check: (request: Incoming, credential: string | null | undefined) => Promise<Verdict<State>>,
): ExpressHandler<Incoming, Outgoing> {
  return async (request, response, next) => {
    try {
      const credential = read ? await read(request) : bearerOf(request.headers.authorization)
      const verdict = await check(request, credential)
      if (!verdict.allowed) return void (await refuse(verdict.refusal, request, response, next))
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
