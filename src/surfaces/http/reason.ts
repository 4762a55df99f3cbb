import { isBlank, textFault } from '#platform/text'

/**
 * The longest reason that a person gives for an action, in characters. Forms are checked before
 * their sender authenticates again, because an address takes no text of any length.
 */
export const MAX_REASON_LENGTH = 200

/** What is wrong with a trimmed reason, in one sentence; undefined: nothing. */
export function reasonFault(
  reason: string,
  missing = 'Give a reason for your records.',
): string | undefined {
  return isBlank(reason) ? missing : textFault(reason, { most: MAX_REASON_LENGTH })
}
