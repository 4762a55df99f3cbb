import { durationText } from '#platform/text'

/** Error messages for rejected form values. */
export const FAULTS = {
  email: 'Enter an email address such as name@example.com.',
  code: 'This code is incorrect or was already used. Enter the current code from your app.',
  recovery_code: 'This recovery code is incorrect or was already used.',
  passkey: 'This passkey does not belong to this account.',
}

/** The result of a form: its error message, and the seconds to wait after too many attempts. */
export interface Outcome {
  fault?: string | undefined
  retry_after?: number | undefined
}

/** Too many attempts; the message and the Retry-After header name the same seconds. */
export function tooOften({ retry_after }: { retry_after: number }) {
  return { fault: `Too many attempts. Try again in ${durationText(retry_after)}.`, retry_after }
}

/** The result of a rejected attempt: too many, or incorrect for `reason`. */
export function refusedFor({ retry_after }: Pick<Outcome, 'retry_after'>, reason: string): Outcome {
  return retry_after === undefined ? { fault: reason } : tooOften({ retry_after })
}

/** The status and headers of a page that shows a form, with or without an error. */
export function statusOf({ fault, retry_after }: Outcome) {
  return { status: fault === undefined ? 200 : retry_after === undefined ? 422 : 429, retry_after }
}
