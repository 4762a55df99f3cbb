/** Where the service is and which app is meant: flags, then the environment, then `purser.json`. */
import { existsSync, readFileSync } from 'node:fs'
import { dirname, join, resolve } from 'node:path'
import { type Client, createClient, serviceAddress } from '@purser/client'
import { wrongUse } from './exit.ts'
import type { Terminal } from './terminal.ts'

/** The options that every command has. */
export interface GlobalOptions {
  json?: boolean
  url?: string
  clientId?: string
  app?: string
  project?: string
  secretFile?: string
}

/** The settings of a command; each is undefined if no source names it. */
export interface Settings {
  url: string | undefined
  client_id: string | undefined
  /** The app's slug. */
  app: string | undefined
}

const PROJECT_FILE = 'purser.json'
const KEYS = ['url', 'client_id', 'app'] as const

/** Reads the settings. Throws CliError if a value or the project file is invalid. */
export function readSettings(options: GlobalOptions, env = process.env): Settings {
  const project = readProject(options.project)
  // An empty variable is one that is not set: workflows write one for a setting that is missing.
  const url = options.url ?? (env.PURSER_URL || project.url)
  return {
    url: url ? serviceUrl(url) : undefined,
    client_id: options.clientId ?? (env.PURSER_CLIENT_ID || project.client_id),
    app: options.app ?? (env.PURSER_APP || project.app),
  }
}

/** The service's URL without a trailing slash. Secrets are sent to it, so it needs https. */
function serviceUrl(text: string): string {
  const url = URL.canParse(text) ? new URL(text) : undefined
  if (!url || !['http:', 'https:'].includes(url.protocol)) {
    throw wrongUse(
      `The URL of the service must start with https://, or with http:// on your own machine. It is "${text}".`,
    )
  }
  if (url.protocol === 'http:' && !isLoopback(url)) {
    throw wrongUse('The URL of the service must use https, except on your own machine.')
  }
  try {
    return serviceAddress(text, 'The URL of the service')
  } catch (error) {
    throw wrongUse(`${(error as TypeError).message}.`)
  }
}

/** Whether a URL is on this machine. */
export function isLoopback({ hostname }: URL): boolean {
  return /^(localhost|.+\.localhost|127(\.\d+){3}|\[::1\])$/.test(hostname)
}

/** The URL of the service. Throws CliError with what to set. */
export function requireUrl({ url }: Settings): string {
  if (url) return url
  throw wrongUse('Set the URL of the service: --url, PURSER_URL, or "url" in purser.json.')
}

/** The client of the app, with its secret where `with_secret` asks for it. */
export async function appClient(
  settings: Settings,
  options: GlobalOptions,
  terminal: Terminal,
  with_secret: boolean,
): Promise<Client> {
  const base_url = requireUrl(settings)
  const client_id = requireClientId(settings)
  const client_secret = with_secret ? await readSecret(options, terminal) : undefined
  return createClient({ base_url, client_id, client_secret })
}

/** The app's client ID. Throws CliError with what to set. */
export function requireClientId({ client_id }: Settings): string {
  if (client_id?.startsWith('app_')) return client_id
  throw wrongUse(
    'Set the client ID of the app, which starts with "app_": --client-id, PURSER_CLIENT_ID, or "client_id" in purser.json.',
  )
}

/**
 * The client secret, from `--secret-file`, PURSER_CLIENT_SECRET or a hidden prompt. Never from the
 * arguments, which other users of the machine can read.
 */
export async function readSecret(options: GlobalOptions, terminal: Terminal): Promise<string> {
  const secret = findSecret(options)
  if (secret) return secret
  if (!terminal.is_interactive) {
    throw wrongUse('Set PURSER_CLIENT_SECRET, or name a file with --secret-file.')
  }
  const typed = (await terminal.askSecret('Client secret')).trim()
  if (typed) return typed
  throw wrongUse('The client secret is empty.')
}

/** The client secret without asking; undefined if there is none. */
export function findSecret({ secretFile }: GlobalOptions): string | undefined {
  if (secretFile === undefined) return process.env.PURSER_CLIENT_SECRET?.trim() || undefined
  try {
    return readFileSync(secretFile === '-' ? 0 : secretFile, 'utf8').trim() || undefined
  } catch {
    throw wrongUse(`The secret file ${secretFile} cannot be read.`)
  }
}

function readProject(named: string | undefined): Partial<Settings> {
  const path = named === undefined ? findProject(process.cwd()) : resolve(named)
  if (path === undefined) return {}
  let read: unknown
  try {
    // A byte order mark is white space to trim, and an error to JSON.parse.
    read = JSON.parse(readFileSync(path, 'utf8').trim())
  } catch {
    throw wrongUse(`${path} is missing or not valid JSON.`)
  }
  if (typeof read !== 'object' || read === null || Array.isArray(read)) {
    throw wrongUse(`${path} must contain a JSON object.`)
  }
  for (const [key, value] of Object.entries(read)) {
    if (/secret|token|password/i.test(key)) {
      throw wrongUse(`Remove "${key}" from ${path}: secrets belong in PURSER_CLIENT_SECRET.`)
    }
    if (!KEYS.some((each) => each === key)) {
      throw wrongUse(`"${key}" in ${path} is unknown. The file may have ${KEYS.join(', ')}.`)
    }
    if (typeof value !== 'string') throw wrongUse(`"${key}" in ${path} must be a string.`)
  }
  return read
}

/** The project file of a folder or the nearest one above it. */
function findProject(folder: string): string | undefined {
  const path = join(folder, PROJECT_FILE)
  if (existsSync(path)) return path
  const parent = dirname(folder)
  return parent === folder ? undefined : findProject(parent)
}
