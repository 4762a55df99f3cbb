import { ENGLISH, type Locale } from '#platform/language/locale'

// Line breaks and tabs apart; with them what turns the direction of a line around unseen.
// biome-ignore lint/suspicious/noControlCharactersInRegex: control characters are what is refused.
const CONTROL = /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u202a-\u202e\u2066-\u2069]/
const TURNING = /[\u202a-\u202e\u2066-\u2069]/g
const LINE_BREAK = /[\n\t\u2028\u2029]/
const SPACING = /[\p{Cc}\u2028\u2029]/gu
// Spaces, the characters that programs show nothing for, and the empty pattern of Braille.
const VISIBLE = /[^\s\p{Default_Ignorable_Code_Point}\u2800]/u
// Names are shown in rows, which such a stack of accents would cover.
const STACK = /[\p{Mn}\p{Me}]{6}/u
const IGNORED = /\p{Default_Ignorable_Code_Point}/gu

/** How long a text may be, in characters, and whether it may be empty or have several lines. */
export interface TextLimit {
  least?: 1
  most: number
  lines?: boolean
}

/** A text as it is stored: composed, with plain line ends, and trimmed. */
export function tidyText(text: string): string {
  return text.normalize('NFC').replaceAll(/\r\n?/g, '\n').trim()
}

/**
 * A text of a program or a file on one line, without control characters: where nothing can be
 * refused, they are left out.
 */
export function plainLine(text: string): string {
  return text.toWellFormed().replaceAll(TURNING, '').replaceAll(SPACING, ' ').trim()
}

/**
 * The number of characters of a text. An emoji counts as one, not as the two halves that store it.
 */
function countCharacters(text: string): number {
  let count = 0
  for (const _ of text) count++
  return count
}

/** A path without the slash at its end, which the server ignores; the root is its slash. */
export function withoutSlash(path: string): string {
  return path.length > 1 && path.endsWith('/') ? path.slice(0, -1) : path
}

/** A text with its first character in upper case. */
export function capitalized(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1)
}

/** A text as HTML and XML spell it, also within the quotes of an attribute. */
export function escapeMarkup(text: string): string {
  return text
    .replaceAll('&', '&amp;')
    .replaceAll('<', '&lt;')
    .replaceAll('>', '&gt;')
    .replaceAll('"', '&quot;')
}

/** Whether a text has nothing that can be seen. */
export function isBlank(text: string): boolean {
  return !VISIBLE.test(text)
}

/**
 * The key by which names are compared: case, the way an accent is typed, and characters that are
 * not shown do not matter.
 */
export function nameKey(name: string): string {
  return tidyText(name.replaceAll(IGNORED, '')).toLowerCase().normalize('NFC')
}

/** What is wrong with a text that is empty, for programs: a form says what to enter. */
export const EMPTY_TEXT = 'Must not be empty.'

/** What is wrong with a text that a person wrote, in one sentence; undefined: nothing. */
export function textFault(text: string, limit: TextLimit): string | undefined {
  if (!text.isWellFormed() || CONTROL.test(text)) {
    return 'Must not contain control characters.'
  }
  if (!limit.lines && LINE_BREAK.test(text)) return 'Must be a single line without tabs.'
  if (STACK.test(text)) return 'Use at most 5 accents on a character.'
  const count = countCharacters(text)
  if (count > limit.most) return `Use at most ${limit.most} characters. This text has ${count}.`
  if (limit.least && isBlank(text)) return EMPTY_TEXT
  return undefined
}

const DISJUNCTION = new Intl.ListFormat('en-US', { type: 'disjunction' })

/** Words of which any one will do: "owner, admin, or developer". */
export function anyOf(words: readonly string[]): string {
  return DISJUNCTION.format(words)
}

const CONJUNCTION = new Intl.ListFormat('en-US', { type: 'conjunction' })

/** Words that all apply: "alarms, disputes, and failed refunds". */
export function allOf(words: readonly string[]): string {
  return CONJUNCTION.format(words)
}

/** A number with its noun: "1 dispute", "2 disputes". */
export function counted(count: number, noun: string): string {
  return `${count.toLocaleString('en-US')} ${noun}${count === 1 ? '' : 's'}`
}

/** A wait in words, to the second: "1 second", "45 seconds", "2 minutes 5 seconds". */
export function durationText(seconds: number, { t }: Locale = ENGLISH): string {
  if (seconds < 120) return t('duration.seconds', { count: seconds })
  const rest = seconds % 60
  const minutes = t('duration.minutes', { count: Math.floor(seconds / 60) })
  if (rest === 0) return minutes
  return t('duration.minutes_and_seconds', {
    minutes,
    seconds: t('duration.seconds', { count: rest }),
  })
}

/** A ZIP code without the four digits that may follow it; any other text as it is. */
export function shortZip(text: string): string {
  return text.replace(/^(\d{5})-\d{4}$/, '$1')
}
