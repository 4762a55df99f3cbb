import { durationText } from '#platform/text'

/** What a form says of a value that was refused. */
export const FAULTS = {
  email: 'Enter an email address such as name@example.com.',
  code: 'This code is incorrect or was already used. Enter the current code from your app.',
  recovery_code: 'This recovery code is incorrect or was already used.',
  passkey: 'This passkey does not belong to this account.',
}

/** What came of a form: the words of its fault, and the seconds to wait after too many attempts. */
export interface Outcome {
  fault?: string | undefined
  retry_after?: number | undefined
}

/** Too many attempts: the page names the same seconds as the Retry-After header. */
export function tooOften({ retry_after }: { retry_after: number }) {
  return { fault: `Too many attempts. Try again in ${durationText(retry_after)}.`, retry_after }
}

/** An attempt that was refused: one too many, or wrong for `reason`. */
export function refusedFor({ retry_after }: Pick<Outcome, 'retry_after'>, reason: string): Outcome {
  return retry_after === undefined ? { fault: reason } : tooOften({ retry_after })
}

/** The status and the headers of a page that draws a form, anew or with its fault. */
export function statusOf({ fault, retry_after }: Outcome) {
  return { status: fault === undefined ? 200 : retry_after === undefined ? 422 : 429, retry_after }
}
