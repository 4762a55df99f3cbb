import { hash, verify } from '@node-rs/argon2'

/** The shortest password that is taken. */
export const PASSWORD_MIN = 10
const PASSWORD_MAX = 256

// The hash of a password that nobody has, compared with where there is no account or password.
let nobody: Promise<string> | undefined

/** Says what is wrong with a new password, or nothing. */
export function passwordFault(password: string): string | undefined {
  if ([...password].length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters.`
  if (password.length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX} characters.`
  return undefined
}

/** Hashes a password with argon2id. */
export async function hashPassword(password: string): Promise<string> {
  return await hash(password)
}

/** Compares a password; takes as long where there is none to compare with. */
export async function hasPassword(stored: string | null, password: string): Promise<boolean> {
  if (password.length > PASSWORD_MAX) return false
  nobody ??= hash('a password that nobody has')
  const same = await verify(stored ?? (await nobody), password)
  return same && stored !== null
}
