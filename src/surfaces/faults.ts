/** What people are told where they do not get any further. */
export const FAULTS = {
  email: 'Enter an email address such as name@example.com.',
  too_often: 'There were many tries in a short time. Wait a moment, then try again.',
  code: 'That code is not right, or was used before. Enter the one that your app shows now.',
  recovery_code: 'That is none of your recovery codes, or it was used before.',
  passkey: 'That passkey is not one of this account.',
}
