import type { FactorAnswer } from '#flows/sign-in'
import { ENGLISH, type Locale } from '#platform/language/locale'
import { durationText } from '#platform/text'

/** The error message for a rejected form value. */
export function faultOf(
  field: 'email' | 'code' | 'recovery_code' | 'passkey',
  { t }: Locale = ENGLISH,
): string {
  return t(`error.fault_${field}`)
}

/** The error message for a code that was left empty; undefined for any other second factor. */
export function missingFactor({ kind, text }: FactorAnswer, { t }: Locale): string | undefined {
  return kind === 'passkey' || text.trim() !== '' ? undefined : t(`error.missing_${kind}`)
}

/** The result of a form: its error message, and the seconds to wait after too many attempts. */
export interface Outcome {
  fault?: string | undefined
  retry_after?: number | undefined
}

/** Too many attempts; the message and the Retry-After header name the same seconds. */
export function tooOften({ retry_after }: { retry_after: number }, locale: Locale = ENGLISH) {
  const wait = durationText(retry_after, locale)
  return { fault: locale.t('error.too_many_attempts', { wait }), retry_after }
}

/** The result of a rejected attempt: too many, or incorrect for `reason`. */
export function refusedFor(
  { retry_after }: Pick<Outcome, 'retry_after'>,
  reason: string,
  locale: Locale = ENGLISH,
): Outcome {
  return retry_after === undefined ? { fault: reason } : tooOften({ retry_after }, locale)
}

/** The status and headers of a page that shows a form, with or without an error. */
export function statusOf({ fault, retry_after }: Outcome) {
  return { status: fault === undefined ? 200 : retry_after === undefined ? 422 : 429, retry_after }
}

/** An error of a form and its field. */
export interface FormFault {
  id: string
  message: string
}

/** The errors of a form, of pairs of a field and what is wrong with it, if anything. */
export function faultsIn(
  found: readonly (readonly [id: string, message: string | false | undefined])[],
): FormFault[] {
  return found.flatMap(([id, message]) => (message ? [{ id, message }] : []))
}

/** The error messages of a field; undefined if it has none. */
export function faultAt(faults: readonly FormFault[], id: string): string | undefined {
  const found = faults.filter((fault) => fault.id === id).map(({ message }) => message)
  return found.length > 0 ? found.join(' ') : undefined
}

/**
 * Gives each field of a form its name, its entered value and its error. In a row of a form, `path`
 * precedes their names: `sections.2.title`.
 */
export function enteredFields<Form extends object>(
  form: Form,
  faults: readonly FormFault[],
  path?: string,
) {
  return <Field extends keyof Form & string>(field: Field) => {
    const name = path === undefined ? field : `${path}.${field}`
    return { name, value: form[field], error: faultAt(faults, name) }
  }
}
