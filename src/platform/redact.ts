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
  // Lengths are bounded, so that a long word is not read again from each of its characters.
  return message
    .replaceAll(/[^\s<>"'(),;:]{1,64}@[^\s<>"'(),;:]{1,255}/g, '[email]')
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

// A word of a line of JSON that is removed. What follows a backslash belongs to an escape and not
// to the word after it. Lengths are bounded, so that a long line is read in linear time.
const ADDRESS =
  /\\(?:u[0-9a-f]{4}|.)|[^\s"\\<>()[\]:;,@/'=]{1,64}@[\p{L}\d.-]{1,190}\.\p{L}{2,30}/giu
const URL_CREDENTIALS = /:\/\/[^\s"\\/@]{1,300}@/g
// Keys of licenses and of Stripe.
const KEY = /\\(?:u[0-9a-f]{4}|.)|key_[0-9A-Za-z]{20,}|(?:[rs]k_(?:live|test)|whsec)_\w+/g
// What an Authorization header carries, and words as long as a secret.
const LONG_WORD = /\\(?:u[0-9a-f]{4}|.)|(?:Bearer|Basic) +[\w.~+/=-]+|[\w-]{40,}/g
// What most lines do not have, so that they are read once.
const MARKS = ['key_', 'k_live_', 'k_test_', 'whsec_', 'Bearer ', 'Basic ']
const LONG = 40
const IN_WORD = Uint8Array.from({ length: 128 }, (_, code) =>
  /[\w-]/.test(String.fromCharCode(code)) ? 1 : 0,
)

/**
 * A line of the log without secrets, email addresses and the credentials of URLs, wherever they
 * are in it: in a message, in a stack, in any field. The line remains valid JSON.
 */
export function redactLine(line: string): string {
  const nameless = line.includes('@')
    ? replaceWords(line.replaceAll(URL_CREDENTIALS, '://[hidden]@'), ADDRESS, '[email]')
    : line
  const isSuspect = MARKS.some((mark) => nameless.includes(mark)) || hasLongWord(nameless)
  if (!isSuspect) return nameless
  return replaceWords(replaceWords(nameless, KEY, '[hidden]'), LONG_WORD, '[hidden]')
}

/** A loop, as an expression would read each word from each of its characters. */
function hasLongWord(line: string): boolean {
  let length = 0
  for (let index = 0; index < line.length; index++) {
    if (IN_WORD[line.charCodeAt(index)] !== 1) length = 0
    else if (++length === LONG) return true
  }
  return false
}

function replaceWords(line: string, words: RegExp, by: string): string {
  return line.replaceAll(words, (word) => (word.startsWith('\\') ? word : by))
}
