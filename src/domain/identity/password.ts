import { hash, verify } from '@node-rs/argon2'
import { estimateStrength } from './password-strength.ts'

/** The minimum length of a password, in characters. */
export const PASSWORD_MIN = 10
export const PASSWORD_MAX = 256
// On the scale of 0 to 4, breached and common passwords are below 3.
const WEAKEST = 3

// The hash of a random password, compared with if there is no account or no password.
let placeholder: Promise<string> | undefined

/** What is wrong with a new password. */
export type PasswordFault = 'too_short' | 'too_long' | 'contains_email' | 'easy'

/** What is wrong with a new password for the owner of an email; undefined if nothing. */
export async function passwordFault(
  password: string,
  email: string,
): Promise<PasswordFault | undefined> {
  if ([...password].length < PASSWORD_MIN) return 'too_short'
  if (password.length > PASSWORD_MAX) return 'too_long'
  const own = [email, ...email.split(/[@.+_-]/), 'purser'].filter((word) => word !== '')
  if ((await estimateStrength(password, own)) >= WEAKEST) return undefined
  const containsEmail = email !== '' && password.toLowerCase().includes(email.toLowerCase())
  return containsEmail ? 'contains_email' : 'easy'
}

/** Hashes a password with argon2id. */
export async function hashPassword(password: string): Promise<string> {
  return await hash(password)
}

/** Compares a password; takes as long if there is none to compare with. */
export async function hasPassword(stored: string | null, password: string): Promise<boolean> {
  if (password.length > PASSWORD_MAX) return false
  placeholder ??= hash('the password of no account')
  const same = await verify(stored ?? (await placeholder), password)
  return same && stored !== null
}
