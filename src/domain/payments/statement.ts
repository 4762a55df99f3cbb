const LONGEST = 22
const MAX_PREFIX_LENGTH = 10
const SEPARATOR = '* '

/** The text on a buyer's card statement, and the part that is sent to the processor. */
export interface StatementText {
  /** The whole text, "PURSERDEMO* TIDEPOOL". */
  text: string
  /** The app's part; undefined if its name has no character from A to Z. */
  suffix: string | undefined
}

/**
 * The text on card statements: the operator's descriptor and the app's name, at most 22 characters.
 * Processors shorten the descriptor to 10 characters if a name follows it.
 */
export function statementText(descriptor: string, app_name: string): StatementText {
  const prefix = descriptor.slice(0, MAX_PREFIX_LENGTH).trim()
  const suffix = app_name
    .normalize('NFKD')
    .replaceAll(/[^\w .-]/g, '')
    .replaceAll(/\s+/g, ' ')
    .toUpperCase()
    .trim()
    .slice(0, LONGEST - prefix.length - SEPARATOR.length)
    .trim()
  if (!/[A-Z]/.test(suffix)) return { text: descriptor, suffix: undefined }
  return { text: `${prefix}${SEPARATOR}${suffix}`, suffix }
}
