import { Problem, type ProblemDetails } from '#platform/problem'
import { tooManyRequests } from '#platform/route-limits'

/** The seconds to wait of examples. */
export const EXAMPLE_RETRY_SECONDS = 27

/**
 * Every error code of the APIs with its HTTP status and message (spec: Errors). The OpenAPI
 * document uses the same table. The message of a rate limit is an example: it names the wait.
 */
export const REFUSALS = {
  invalid_request: [400, 'The request is invalid.'],
  invalid_client: [401, 'The client ID or the client secret is missing or incorrect.'],
  invalid_token: [401, 'The access token is missing, has expired or was revoked.'],
  insufficient_scope: [403, 'The access token lacks the required scope.'],
  service_not_enabled: [403, 'The hosted sign-in add-on is off. The seller can turn it on.'],
  'Client is not linked to an app': [
    400,
    'The OAuth client of this token is not linked to an app.',
  ],
  unknown_key: [404, 'This license key was not issued for your app.'],
  unknown_order: [404, 'This order reference is not valid for your app or has expired.'],
  unknown_license: [404, 'Your app has no license with this ID.'],
  license_canceled: [409, 'The license is canceled. Its key cannot be replaced.'],
  test_clock_busy: [409, 'The test clock of your app is running. Try again when it is done.'],
  unknown_claim: [404, 'This link was already used, has expired or does not exist.'],
  not_read_ahead: [403, 'This link cannot be prefetched. Open it to read it.'],
  origin_not_allowed: [403, 'This origin is not allowed to call the agent endpoint.'],
  host_not_allowed: [403, 'Unknown host name.'],
  not_acceptable: [406, 'Send Accept: application/json. A wildcard is not enough.'],
  not_found: [404, 'No such endpoint, page or app.'],
  method_not_allowed: [405, 'This method is not allowed here. See the Allow header.'],
  payload_too_large: [413, 'The request body is too large (limit 64 KB).'],
  unsupported_media_type: [415, 'Send Content-Type: application/json.'],
  rate_limited: [429, tooManyRequests(EXAMPLE_RETRY_SECONDS).message],
  service_unavailable: [503, 'The service is temporarily unavailable. Try again in a few seconds.'],
  internal_error: [500, 'Something went wrong on our side. Try again later.'],
} as const satisfies Record<string, readonly [status: number, message: string]>

export type RefusalCode = keyof typeof REFUSALS

/** An error with this code, to be thrown. */
export function refuse(code: RefusalCode, details: ProblemDetails = {}): Problem {
  const [status, message] = REFUSALS[code]
  return new Problem(status, code, message, details)
}
