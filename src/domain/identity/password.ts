import { hash, verify } from '@node-rs/argon2'

/** The shortest password that is taken. */
export const PASSWORD_MIN = 10
const PASSWORD_MAX = 256
// Guessing gets no easier by what comes later, and the estimate takes long for long texts.
const ESTIMATED = 64
// On the scale of 0 to 4: below 2 are the passwords of breaches, and what everybody makes of them.
const WEAKEST = 2

// The hash of a password that nobody has, compared with where there is no account or password.
let nobody: Promise<string> | undefined
let estimator: ReturnType<typeof loadEstimator> | undefined

/** Says what is wrong with a new password of the owner of an address, or nothing. */
export async function passwordFault(password: string, email: string): Promise<string | undefined> {
  if ([...password].length < PASSWORD_MIN) return `Use at least ${PASSWORD_MIN} characters.`
  if (password.length > PASSWORD_MAX) return `Use at most ${PASSWORD_MAX} characters.`
  estimator ??= loadEstimator()
  const own = [email, ...email.split(/[@.+_-]/), 'purser']
  const { score } = (await estimator).check(password.slice(0, ESTIMATED), own)
  if (score >= WEAKEST) return undefined
  const holdsEmail = email !== '' && password.toLowerCase().includes(email.toLowerCase())
  return holdsEmail
    ? 'Your email address is no secret. Choose another password.'
    : 'This password is one of the first that anybody would try. Choose another one.'
}

/** The dictionary of breached passwords takes a tenth of a second to unpack: only when needed. */
async function loadEstimator() {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  return new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
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
