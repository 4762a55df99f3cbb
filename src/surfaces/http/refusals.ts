import { Problem, type ProblemDetails } from '#platform/problem'

/**
 * Every code that the programs' surfaces refuse with, its HTTP status and its sentence (spec:
 * Errors). The OpenAPI document draws from the same table.
 */
export const REFUSALS = {
  invalid_request: [400, 'The request is not of the form that is taken here.'],
  invalid_client: [401, 'The client id or the client secret is wrong.'],
  invalid_token: [401, 'The access token is missing, has expired or was revoked.'],
  insufficient_scope: [403, 'The access token was given for less than this takes.'],
  service_not_enabled: [403, 'The hosted sign-in add-on is off; its developer can turn it on.'],
  'Client is not linked to an app': [400, 'The OAuth client of this token belongs to no app.'],
  unknown_key: [404, 'This key was never issued for your app.'],
  unknown_order: [404, 'This order reference is not valid for your app, or has expired.'],
  unknown_license: [404, 'Your app has no such license.'],
  license_canceled: [409, 'A canceled license has no key to rotate.'],
  misconfigured_link: [400, "The return address of this link is not on the app's website."],
  unknown_claim: [404, 'This address was used before, has expired or was never given out.'],
  not_read_ahead: [403, 'This address is not read ahead; open it to read it.'],
  origin_not_allowed: [403, 'Pages of this origin may not call the agent endpoint.'],
  host_not_allowed: [403, 'The service is not known by this host name.'],
  not_acceptable: [406, 'The Accept header must name application/json; a wildcard is not enough.'],
  not_found: [404, 'There is nothing at this address.'],
  method_not_allowed: [405, 'This address does not answer that method.'],
  payload_too_large: [413, 'The request body is larger than is taken here.'],
  unsupported_media_type: [415, 'This media type is not understood here.'],
  rate_limited: [429, 'Too many requests. Try again after the seconds that Retry-After names.'],
  service_unavailable: [503, 'The service is briefly unavailable. Try again in a few seconds.'],
  internal_error: [500, 'Something went wrong on our side. Try again later.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RefusalCode = keyof typeof REFUSALS

/** The refusal of this code, ready to be thrown. */
export function refuse(code: RefusalCode, details: ProblemDetails = {}): Problem {
  const [status, message] = REFUSALS[code]
  return new Problem(status, code, message, details)
}
