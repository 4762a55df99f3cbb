import { type ChildProcess, execFile, execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, openSync, readFileSync } from 'node:fs'
import { cpus } from 'node:os'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { which } from '../scripts/chromium.ts'

const root = fileURLToPath(new URL('..', import.meta.url))

/** The core of the servers, and the core of the load. */
export const SERVER_CORE = 0
const LOAD_CORE = 1
type Core = typeof SERVER_CORE | typeof LOAD_CORE | 'any'

/** A command pinned to one core, if the machine has several and supports it; otherwise on any. */
export function pinned(core: Core, command: string, args: string[]): [string, string[]] {
  if (core === 'any' || cpus().length < 2 || !which('taskset')) return [command, args]
  return ['taskset', ['-c', String(core), command, ...args]]
}

/** A process that responds at its address. */
export interface Server {
  pid: number
  /** Its resident set, in megabytes; zero if the kernel does not report it. */
  residentMb(): number
  /** The CPU time of all its threads so far; zero if the kernel does not report it. */
  cpuSeconds(): number
  stop(): Promise<void>
}

/** What `npm start` and the recipes set, here and in ALLOCATOR (decisions 109, 152 and 157). */
const TYPESCRIPT = [
  '--max-semi-space-size=8',
  '--v8-pool-size=1',
  '--liftoff-only',
  '--import',
  './scripts/register-tsx.mjs',
]
const ALLOCATOR = { MALLOC_ARENA_MAX: '1', MALLOC_TRIM_THRESHOLD_: '131072' }

/** Starts a TypeScript file as a server and waits until its address responds. */
export async function startServer(
  file: string,
  env: Record<string, string>,
  address: string,
  log: string,
  core: Core = SERVER_CORE,
): Promise<Server> {
  return await startProgram([...TYPESCRIPT, file], { env, address, log, core, cwd: root })
}

interface Program {
  env: Record<string, string>
  /** Where it responds once it is ready. */
  address: string
  log: string
  core: Core
  cwd: string
}

/** Starts Node with these arguments, and waits until its address responds. */
export async function startProgram(
  argv: string[],
  { env, address, log, core, cwd }: Program,
): Promise<Server> {
  const out = openSync(log, 'a')
  const [command, args] = pinned(core, process.execPath, argv)
  const server = spawn(command, args, {
    cwd,
    env: { ...ALLOCATOR, ...process.env, ...env },
    stdio: ['ignore', out, out],
  })
  try {
    await untilItAnswers(address, server, log)
  } catch (error) {
    server.kill('SIGTERM')
    throw error
  }
  return {
    pid: server.pid!,
    residentMb() {
      const status = `/proc/${server.pid}/status`
      if (!existsSync(status)) return 0
      return Math.round(Number(/VmRSS:\s+(\d+)/.exec(readFileSync(status, 'utf8'))![1]) / 1024)
    },
    cpuSeconds: () => cpuSecondsOf(server.pid!),
    async stop() {
      if (server.kill('SIGTERM')) await once(server, 'exit')
    },
  }
}

/** The kernel reports CPU time in hundredths of a second. */
const TICKS_PER_SECOND = 100

function cpuSecondsOf(pid: number): number {
  const file = `/proc/${pid}/stat`
  if (!existsSync(file)) return 0
  // The name before the last parenthesis may have spaces; the times are fields 14 and 15.
  const fields = readFileSync(file, 'utf8').split(') ').at(-1)!.split(' ')
  return (Number(fields[11]) + Number(fields[12])) / TICKS_PER_SECOND
}

/** Two minutes: a peer may migrate and fill its database first. */
const MAX_TRIES = 1200

async function untilItAnswers(address: string, server: ChildProcess, log: string): Promise<void> {
  for (let tries = 0; tries < MAX_TRIES; tries++) {
    const hasExited = server.exitCode !== null || server.signalCode !== null
    if (hasExited) throw new Error(`the server exited at startup; see ${log}`)
    const answer = await fetch(address).catch(() => undefined)
    if (answer) return
    await new Promise((resolve) => setTimeout(resolve, 100))
  }
  throw new Error(`nothing responds at ${address}; see ${log}`)
}

/** The load generator, installed if missing and possible. */
function findWrk(): string {
  const found = which('wrk')
  if (found) return found
  if (process.getuid?.() === 0 && which('apt-get')) {
    spawnSync('apt-get', ['update', '-qq'], { stdio: 'ignore' })
    spawnSync('apt-get', ['install', '-y', '-qq', 'wrk'], { stdio: 'ignore' })
  }
  const installed = which('wrk')
  if (!installed) throw new Error('The benchmark needs wrk: on Debian, apt-get install wrk.')
  return installed
}

/** The result of one round of load. */
export interface Round {
  /** Requests per second. */
  rate: number
  p50_ms: number
  p99_ms: number
  /** Failed responses and connections. */
  bad: number
}

/** A round of one of our generators. */
export interface GeneratedRound extends Round {
  /** How many tasks it completed, those of its warm-up included. */
  completed: number
}

/** Runs one of our load generators on the other core. */
export function generate(file: string, settings: Record<string, string>): GeneratedRound {
  const [command, args, options] = generator(file, settings)
  return JSON.parse(execFileSync(command, args, options))
}

/** The same as `generate`, but without blocking this process. */
export async function generateBeside(
  file: string,
  settings: Record<string, string>,
): Promise<Round> {
  const { stdout } = await promisify(execFile)(...generator(file, settings))
  return JSON.parse(stdout)
}

function generator(file: string, settings: Record<string, string>) {
  const command = pinned(LOAD_CORE, process.execPath, [...TYPESCRIPT, join(root, file)])
  const env = { ...process.env, ...settings }
  return [...command, { env, encoding: 'utf8', cwd: root }] as const
}

interface Load {
  url: string
  /** The file with the requests. */
  requests: string
  authorization: string
  seconds: number
  connections?: number
  core?: Core
}

/** The connections of a load to one process. */
export const CONNECTIONS = 32

/** Sends the requests of a file for a number of seconds. */
export function load({
  url,
  requests,
  authorization,
  seconds,
  connections = CONNECTIONS,
  core = LOAD_CORE,
}: Load): Round {
  const script = fileURLToPath(new URL('wrk.lua', import.meta.url))
  const rounds = ['-t1', `-c${connections}`, `-d${seconds}s`]
  const args = [...rounds, '-s', script, url, '--', requests, authorization]
  const [command, all] = pinned(core, findWrk(), args)
  const output = execFileSync(command, all, { encoding: 'utf8' })
  const result = /^RESULT (.*)$/m.exec(output)?.[1]
  if (!result) throw new Error(`wrk printed:\n${output}`)
  return JSON.parse(result)
}
