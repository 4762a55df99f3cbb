/** Hooks for Fastify: use them as `preHandler` or `onRequest`. */
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

/** The part of a request that is used. */
export type RequestWithHeaders = { headers: { authorization?: string | undefined } }

/** The part of a reply that is used. */
export type ReplyWithSend = {
  code(status: number): unknown
  headers(values: Record<string, string>): unknown
  send(body: unknown): unknown
}

export type FastifyOptions<
  State,
  Incoming extends RequestWithHeaders,
  Reply extends ReplyWithSend,
> = GuardOptions<Incoming> & {
  /** Answers a refused request in place of the default, which is JSON. It has to send the reply. */
  refuse?: ((refusal: Refusal<State>, request: Incoming, reply: Reply) => unknown) | undefined
}

export type FastifyHook<Incoming, Reply> = (request: Incoming, reply: Reply) => Promise<unknown>

/**
 * Lets requests with an entitled license key pass: `licenseOf(request)` returns the license. Errors
 * of your configuration are thrown.
 */
export function requireLicense<
  Incoming extends RequestWithHeaders = RequestWithHeaders,
  Reply extends ReplyWithSend = ReplyWithSend,
>(
  licenses: LicenseSource,
  options: FastifyOptions<LicenseState, Incoming, Reply> = {},
): FastifyHook<NoInfer<Incoming>, NoInfer<Reply>> {
  return hookOf(options, licenseCheck(licenses, options), attachLicense)
}

/**
 * Lets requests with an access token of an entitled person pass: `entitlementOf(request)` returns
 * the entitlement. Errors of your configuration are thrown.
 */
export function requireEntitlement<
  Incoming extends RequestWithHeaders = RequestWithHeaders,
  Reply extends ReplyWithSend = ReplyWithSend,
>(
  entitlements: EntitlementSource,
  options: FastifyOptions<Entitlement, Incoming, Reply> = {},
): FastifyHook<NoInfer<Incoming>, NoInfer<Reply>> {
  return hookOf(options, entitlementCheck(entitlements, options), attachEntitlement)
}

function hookOf<State, Incoming extends RequestWithHeaders, Reply extends ReplyWithSend>(
  { read, refuse = sendJson }: FastifyOptions<State, Incoming, Reply>,
  check: CredentialCheck<State>,
  attach: (request: Incoming, state: State) => void,
): FastifyHook<Incoming, Reply> {
  return async (request, reply) => {
    const credential = read ? await read(request) : bearerOf(request.headers.authorization)
    const verdict = await check(credential)
    if (verdict.allowed) return attach(request, verdict.state)
    await refuse(verdict.refusal, request, reply)
    // Fastify ends a request whose hook returns the reply.
    return reply
  }
}

function sendJson(refusal: Refusal<unknown>, _request: unknown, reply: ReplyWithSend): void {
  reply.code(refusal.status)
  reply.headers(refusal.headers)
  reply.send(bodyOf(refusal))
}
