/** The tokens of sign-ins, by service, in a file that only its user can read. */
import { randomUUID } from 'node:crypto'
import {
  closeSync,
  mkdirSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  statSync,
  writeFileSync,
} from 'node:fs'
import { homedir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { CliError, EXIT } from '../exit.ts'

/** What a sign-in gave. */
export interface StoredTokens {
  access_token: string
  refresh_token: string | null
  /** When the access token expires, in milliseconds since 1970. */
  expires_at: number
  scope: string
}

/** A lock that is older belongs to a process that ended: no refresh takes this long. */
const STALE_LOCK_MS = 30_000
const LOCK_WAIT_MS = 15_000

/** The user's folder of settings, by the conventions of the operating system. */
function configFolder(): string {
  const { env } = process
  if (env.XDG_CONFIG_HOME) return join(env.XDG_CONFIG_HOME, 'purser')
  if (process.platform === 'win32' && env.APPDATA) return join(env.APPDATA, 'purser')
  return join(homedir(), '.config', 'purser')
}

/** The file of the tokens: the one that PURSER_SIGN_IN_FILE names, such as CI's, or the user's. */
export function tokenFile(): string {
  const named = process.env.PURSER_SIGN_IN_FILE
  return named ? resolve(named) : join(configFolder(), 'tokens.json')
}

/** The tokens of a service; undefined without a sign-in. */
export function readTokens(url: string): StoredTokens | undefined {
  const tokens = readAll()[url]
  return isTokens(tokens) ? tokens : undefined
}

/** Stores the tokens of a service, or deletes them. Call it within `withTokenLock`. */
export function writeTokens(url: string, tokens: StoredTokens | undefined): void {
  const all = readAll()
  if (tokens) all[url] = tokens
  else delete all[url]
  // A file that appears whole: a process that reads at the same time sees the old tokens or the
  // new.
  const path = `${tokenFile()}.${randomUUID()}`
  makeFolder()
  try {
    writeFileSync(path, `${JSON.stringify(all, null, 2)}\n`, { mode: 0o600 })
    renameSync(path, tokenFile())
  } catch (error) {
    rmSync(path, { force: true })
    throw notWritten(error)
  }
}

function makeFolder(): void {
  try {
    mkdirSync(dirname(tokenFile()), { recursive: true, mode: 0o700 })
  } catch (error) {
    throw notWritten(error)
  }
}

/** The error for a folder of the tokens that cannot be written. */
function notWritten(error: unknown): CliError {
  const { code } = error as NodeJS.ErrnoException
  const next = process.env.PURSER_SIGN_IN_FILE
    ? 'Set PURSER_SIGN_IN_FILE to a file in a folder that you can write to.'
    : 'Set XDG_CONFIG_HOME to a folder that you can write to.'
  const message = `The tokens cannot be stored in ${dirname(tokenFile())} (${code}). ${next}`
  return new CliError('tokens_not_written', message, EXIT.usage)
}

/** What the file has of each service; nothing, where it is not what this program wrote. */
function readAll(): Record<string, unknown> {
  try {
    const read: unknown = JSON.parse(readFileSync(tokenFile(), 'utf8'))
    return typeof read === 'object' ? { ...read } : {}
  } catch {
    return {}
  }
}

function isTokens(value: unknown): value is StoredTokens {
  const { access_token, refresh_token, expires_at, scope } = Object(value)
  return (
    typeof access_token === 'string' &&
    (refresh_token === null || typeof refresh_token === 'string') &&
    typeof expires_at === 'number' &&
    typeof scope === 'string'
  )
}

/**
 * Runs work that reads and writes the tokens, one process at a time: a refresh token works once, so
 * two processes must not use the same. Throws CliError if another process keeps the lock, or if the
 * folder cannot be written.
 */
export async function withTokenLock<Result>(work: () => Promise<Result>): Promise<Result> {
  makeFolder()
  const path = `${tokenFile()}.lock`
  const give_up_at = Date.now() + LOCK_WAIT_MS
  while (!tryLock(path)) {
    if (Date.now() > give_up_at) {
      const message = `Another purser command is signing in. If none is running, delete ${path}.`
      throw new CliError('locked', message, EXIT.unreachable)
    }
    await sleep(50)
  }
  const made_at = madeAt(path)
  try {
    return await work()
  } finally {
    // Work that was suspended for long may have lost the lock to another process.
    if (madeAt(path) === made_at) rmSync(path, { force: true })
  }
}

function tryLock(path: string): boolean {
  try {
    closeSync(openSync(path, 'wx', 0o600))
    return true
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritten(error)
    const made_at = madeAt(path)
    if (made_at !== undefined && Date.now() - made_at > STALE_LOCK_MS) removeStale(path, made_at)
    return false
  }
}

/** When a lock was made, in milliseconds since 1970; undefined if there is none. */
function madeAt(path: string): number | undefined {
  return statSync(path, { throwIfNoEntry: false })?.mtimeMs
}

/**
 * Removes the lock that was made at this time. Of the processes that see the same stale lock, one
 * at a time looks again and removes it: another would remove the lock that follows.
 */
function removeStale(path: string, made_at: number): void {
  const claim = `${path}.${made_at}`
  try {
    closeSync(openSync(claim, 'wx', 0o600))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code !== 'EEXIST') throw notWritten(error)
    return
  }
  try {
    if (madeAt(path) === made_at) rmSync(path, { force: true })
  } finally {
    rmSync(claim, { force: true })
  }
}
