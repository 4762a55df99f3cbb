import { textFault } from '#platform/text'

/** The longest reason that a person gives for an action, in characters. */
export const MAX_REASON_LENGTH = 200

/** A reason as it was entered, trimmed and cut to the longest. */
export function shortReason(entered = ''): string {
  return entered.trim().slice(0, MAX_REASON_LENGTH)
}

/** What is wrong with a trimmed reason, in one sentence; undefined: nothing. */
export function reasonFault(
  reason: string,
  missing = 'Give a reason for your records.',
): string | undefined {
  return reason === '' ? missing : textFault(reason, { most: MAX_REASON_LENGTH })
}
