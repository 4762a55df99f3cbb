/** What is said where somebody does not get in. */
export const FAULTS = {
  wrong: 'That email and password do not fit together.',
  too_often: 'There were many tries in a short time. Wait a quarter of an hour, then try again.',
  email: 'Enter an email address such as name@example.com.',
  passkey: 'That passkey opens no account here. Try again, or choose another way.',
}
