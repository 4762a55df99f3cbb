import { execFileSync, spawn } from 'node:child_process'
import { randomInt } from 'node:crypto'
import { once } from 'node:events'
import {
  chownSync,
  existsSync,
  mkdtempSync,
  readdirSync,
  realpathSync,
  rmSync,
  statfsSync,
} from 'node:fs'
import { createServer } from 'node:net'
import { constants, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import pg from 'pg'
import { which } from './chromium.ts'

/** A temporary PostgreSQL server for this run, deleted when it stops. */
export interface Throwaway {
  url: string
  /** The temporary folder; `data` in it has the databases. */
  folder: string
  /** The account that runs it, which owns its files. */
  owner: { uid: number; gid: number }
  stop(): Promise<void>
}

const DEBIAN = '/usr/lib/postgresql'

/** The folder of PostgreSQL's server programs; undefined if it is not installed. */
export function findPostgres(): string | undefined {
  const onPath = which('initdb') && which('postgres')
  if (onPath) return dirname(realpathSync(onPath))
  const versions = existsSync(DEBIAN)
    ? readdirSync(DEBIAN).sort((a, b) => Number(b) - Number(a))
    : []
  return versions
    .map((version) => join(DEBIAN, version, 'bin'))
    .find((folder) => existsSync(join(folder, 'initdb')))
}

/** The account that owns a server's files; PostgreSQL refuses to run as root. */
function owner(): { uid: number; gid: number } | undefined {
  return process.getuid?.() === 0 ? lesserUser() : undefined
}

const MEMORY = '/dev/shm'
const MEMORY_BYTES = 4 * 1024 ** 3

/**
 * A folder in memory where Linux has one with 4 GB free; otherwise the folder of temporary files.
 */
export function memoryFolder(): string {
  try {
    const { bavail, bsize } = statfsSync(MEMORY)
    return bavail * bsize >= MEMORY_BYTES ? MEMORY : tmpdir()
  } catch {
    return tmpdir()
  }
}

/** Starts a new, empty server in a temporary folder inside `parent`. */
export async function startPostgres(
  programs: string,
  options: string[] = [],
  parent = tmpdir(),
): Promise<Throwaway> {
  const folder = mkdtempSync(join(parent, 'purser-postgres-'))
  const who = owner()
  if (who) chownSync(folder, who.uid, who.gid)
  const data = join(folder, 'data')
  try {
    execFileSync(
      join(programs, 'initdb'),
      ['-D', data, '-U', 'purser', '-A', 'trust', '-E', 'UTF8', '--no-sync', '--locale=C.UTF-8'],
      { ...who, cwd: folder, stdio: 'ignore' },
    )
  } catch (error) {
    remove(folder)
    throw error
  }
  return await startPostgresIn(programs, folder, options)
}

/** Removes a folder in which a server may still be ending. */
function remove(folder: string): void {
  // Where the server deletes a file first, rmSync returns with the others left.
  for (let tries = 0; tries < MAX_TRIES && existsSync(folder); tries++) {
    rmSync(folder, { recursive: true, force: true, maxRetries: MAX_TRIES, retryDelay: 10 })
  }
}

const MAX_TRIES = 20

/** Runs one of the server's programs as the account that owns its files. */
export function runAsPostgres(program: string, args: string[], cwd: string): void {
  execFileSync(program, args, { ...owner(), cwd, stdio: 'ignore' })
}

/** Starts a server on the folder `data` inside a temporary folder, which `stop` deletes. */
export async function startPostgresIn(
  programs: string,
  folder: string,
  options: string[] = [],
): Promise<Throwaway> {
  const port = await freePort()
  const settings = [
    `port=${port}`,
    'listen_addresses=127.0.0.1',
    `unix_socket_directories=${folder}`,
  ]
  const args = [...settings, 'max_connections=200', ...options].flatMap((each) => ['-c', each])
  const server = spawn(join(programs, 'postgres'), ['-D', join(folder, 'data'), ...args], {
    ...owner(),
    cwd: folder,
    stdio: 'ignore',
  })
  const url = `postgres://purser@127.0.0.1:${port}/postgres`
  const end = () => {
    server.kill('SIGQUIT')
    remove(folder)
  }
  process.once('exit', end)
  for (const signal of SIGNALS) process.once(signal, exitBy)
  const forget = () => {
    process.off('exit', end)
    for (const signal of SIGNALS) process.off(signal, exitBy)
  }
  try {
    await untilItAnswers(url, () => server.exitCode)
  } catch (error) {
    forget()
    end()
    throw error
  }
  return {
    url,
    folder,
    owner: owner() ?? { uid: process.getuid?.() ?? 0, gid: process.getgid?.() ?? 0 },
    async stop() {
      forget()
      if (server.kill('SIGINT')) await once(server, 'exit')
      remove(folder)
    },
  }
}

const SIGNALS = ['SIGINT', 'SIGTERM'] as const

/** Exits as the signal would, but with the `exit` event, at which servers end. */
function exitBy(signal: (typeof SIGNALS)[number]): void {
  process.exit(128 + constants.signals[signal])
}

function lesserUser(): { uid: number; gid: number } {
  for (const name of ['postgres', 'nobody']) {
    try {
      const id = (flag: string) =>
        Number(
          execFileSync('id', [flag, name], {
            encoding: 'utf8',
            stdio: ['ignore', 'pipe', 'ignore'],
          }),
        )
      return { uid: id('-u'), gid: id('-g') }
    } catch {}
  }
  throw new Error('PostgreSQL does not run as root, and there is no other user to run it as.')
}

async function untilItAnswers(
  connectionString: string,
  exited: () => number | null,
): Promise<void> {
  for (let tries = 0; tries < 200; tries++) {
    if (exited() !== null) throw new Error('the PostgreSQL server ended at its start')
    const client = new pg.Client({ connectionString })
    try {
      await client.connect()
      await client.end()
      return
    } catch {
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
  throw new Error('the PostgreSQL server did not answer within ten seconds')
}

// Below the ephemeral ports, so that no outgoing connection takes one.
const [FIRST_PORT, LAST_PORT] = [20_000, 32_000]

/** A free port of the loopback, with the next two free as well, which the demo's sites use. */
export async function freePort(): Promise<number> {
  for (;;) {
    const port = randomInt(FIRST_PORT, LAST_PORT)
    const areFree = await Promise.all([port, port + 1, port + 2].map(isFree))
    if (areFree.every(Boolean)) return port
  }
}

async function isFree(port: number): Promise<boolean> {
  const server = createServer().listen(port, '127.0.0.1')
  try {
    await once(server, 'listening')
  } catch {
    return false
  }
  server.close()
  await once(server, 'close')
  return true
}
