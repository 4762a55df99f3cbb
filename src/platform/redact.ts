// A license key has the shape of an id, and is a secret.
const ID = /^(?!key_)[a-z]{2,6}_[0-9A-Za-z]{22}$/
const PLAIN = [
  ID,
  // A name such as `weekly-payouts`, without digits.
  /^[a-z]{1,20}([-_.][a-z]{1,20}){0,4}$/,
  /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/,
  /^\d{4}-\d{2}-\d{2}(T[\d:.]{5,12}Z)?$/,
]

/**
 * Data as staff may read it: ids, names, dates and numbers. Any other text may be a secret or a
 * buyer's, so only its length remains.
 */
export function redactData(value: unknown): unknown {
  return mapTexts(value, (text) => (PLAIN.some((shape) => shape.test(text)) ? text : hidden(text)))
}

/** The output of a failed job as staff may read it: messages without addresses and secrets. */
export function redactOutput(value: unknown): unknown {
  return mapTexts(value, redactMessage)
}

/** A message without email addresses, and without words as long as a secret. */
export function redactMessage(message: string): string {
  return message
    .replaceAll(/[^\s<>"'(),;:]+@[^\s<>"'(),;:]+/g, '[email]')
    .replaceAll(/[\w+/=~-]{20,}/g, (word) => (ID.test(word) ? word : '[hidden]'))
}

function hidden(text: string): string {
  return text === '' ? '' : `[hidden, ${text.length} characters]`
}

function mapTexts(value: unknown, change: (text: string) => string): unknown {
  if (typeof value === 'string') return change(value)
  if (Array.isArray(value)) return value.map((each) => mapTexts(each, change))
  if (typeof value !== 'object' || value === null) return value
  return Object.fromEntries(
    Object.entries(value).map(([name, each]) => [name, mapTexts(each, change)]),
  )
}
