import { type ChildProcess, spawn } from 'node:child_process'
import { randomBytes } from 'node:crypto'
import { once } from 'node:events'
import { mkdtempSync, rmSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'
import { readConfig } from '#platform/config'
import { openLog } from '#platform/log'
import { systemRandom } from '#platform/random'
import { buildAssets } from '../../scripts/build-assets.ts'
import { freePort } from '../../scripts/throwaway-postgres.ts'
import { type DemoFacts, seedCast } from '../../src/demo/seed.ts'
import { openService } from '../../src/service.ts'
import { administrate, createServerDatabase } from '../support/database.ts'
import type { Command } from './messages.ts'

const root = fileURLToPath(new URL('../..', import.meta.url))
/** The key of every service of a run. */
export const SECRET_KEY = randomBytes(32).toString('hex')
const PATIENCE_MS = 90_000
const PAUSE_MS = 50

/** A service process under a fault. */
export interface Node {
  process: ChildProcess
  url: string
  output(): string
  /** Resolves when the process has ended: its exit code, or null if a signal ended it. */
  exit: Promise<number | null>
  /** Sends a command; resolves with the steps of the last run, or undefined if the node died. */
  command(command: Command): Promise<string[] | undefined>
}

/** A database with the cast, and the processes that serve it. */
export interface Cluster {
  demo: DemoFacts
  /** Where buyers go: a node's own address, or the proxy's in front of several. */
  front: string
  front_port: number
  database_url: URL
  settings: Record<string, string>
  /** Starts a node and waits until it is ready; on `front_port` unless a port is given. */
  start(settings?: Record<string, string>, options?: StartOptions): Promise<Node>
  close(): Promise<void>
}

/** Where another release is, and which of its files to start. */
export interface StartOptions {
  file?: string
  folder?: string
}

/** What all faults of a run share: a server, and a database with the cast to copy. */
export interface FaultSuite {
  server_url: string
  /** Who runs the server: the owner of the files in its tablespaces. */
  server_owner: { uid: number; gid: number }
  template: string
  demo: DemoFacts
  /** Of the steps at which work is killed, every how many are tried. */
  stride: number
}

/** Prepares the database that every fault starts from. */
export async function openSuite(
  server_url: string,
  server_owner: FaultSuite['server_owner'],
  stride: number,
): Promise<FaultSuite> {
  await buildAssets()
  const { url } = await createServerDatabase(server_url, 'template1')
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-outages-'))
  const settings = { SECRET_KEY, DATABASE_URL: url.href, DATA_DIR: data_dir, DEMO: '0' }
  const config = readConfig({ ...settings, LOG_LEVEL: 'silent' }, systemRandom)
  const service = await openService(config, { log: openLog('silent') })
  const sites = {
    sample_site_url: 'http://localhost:4999',
    sign_in_site_url: 'http://localhost:4998',
  }
  const demo = await seedCast(service.world, { ...sites, kept: undefined })
  await service.close()
  rmSync(data_dir, { recursive: true, force: true })
  return { server_url, server_owner, template: url.pathname.slice(1), demo, stride }
}

/** Opens a copy of the database for one fault, on this or another server. */
export async function openCluster({ server_url, template, demo }: FaultSuite): Promise<Cluster> {
  const { url, drop } = await createServerDatabase(server_url, template)
  const data_dir = mkdtempSync(join(tmpdir(), 'purser-outages-'))
  const front_port = await freePort()
  const nodes = new Set<ChildProcess>()
  const front = `http://localhost:${front_port}`
  const settings = {
    SECRET_KEY,
    DATABASE_URL: url.href,
    DATA_DIR: data_dir,
    BASE_URL: front,
    DEMO: '0',
    LOG_LEVEL: 'warn',
    TRUST_PROXY: '127.0.0.1,::1',
    MIGRATE_ON_START: '0',
  }
  return {
    demo,
    front,
    front_port,
    database_url: url,
    settings,
    async start(more = {}, options = {}) {
      const node = await startNode({ PORT: String(front_port), ...settings, ...more }, options)
      nodes.add(node.process)
      return node
    },
    async close() {
      for (const node of nodes) node.kill('SIGKILL')
      await drop()
      rmSync(data_dir, { recursive: true, force: true })
    },
  }
}

async function startNode(
  settings: Record<string, string>,
  { file = 'test/outages/service.ts', folder = root }: StartOptions,
): Promise<Node> {
  const child = spawn(process.execPath, ['--import', './scripts/register-tsx.mjs', file], {
    cwd: folder,
    env: { PATH: process.env.PATH, ENV_FILE: devNull, ...settings },
    stdio: ['ignore', 'pipe', 'pipe', 'ipc'],
  })
  let output = ''
  const exit = once(child, 'exit').then(([code]) => code as number | null)
  const ready = new Promise<void>((resolve) => {
    for (const stream of [child.stdout!, child.stderr!]) {
      stream.on('data', (chunk: Buffer) => {
        output += chunk.toString()
        if (/^Purser is ready/m.test(output)) resolve()
      })
    }
  })
  const ended = await Promise.race([ready.then(() => false), exit.then(() => true)])
  if (ended) throw new Error(`a node did not start:\n${output}`)
  return {
    process: child,
    url: `http://localhost:${settings.PORT}`,
    output: () => output,
    exit,
    async command(command) {
      const answered = once(child, 'message') as Promise<[{ steps: string[] }]>
      child.send(command, () => {})
      return await Promise.race([answered.then(([{ steps }]) => steps), exit.then(() => undefined)])
    },
  }
}

/** Waits until a condition is true; throws after a minute and a half, naming it. */
export async function until(
  what: string,
  isTrue: () => Promise<boolean> | boolean,
  within_ms = PATIENCE_MS,
): Promise<void> {
  const deadline = performance.now() + within_ms
  for (;;) {
    if (await isTrue()) return
    if (performance.now() > deadline) throw new Error(`timed out waiting until ${what}`)
    await pause(PAUSE_MS)
  }
}

/** The status of a node's readiness; 0 where nothing answers. */
export async function readiness(url: string): Promise<number> {
  try {
    const signal = AbortSignal.timeout(2_500)
    return (await fetch(`${url}/readyz`, { signal })).status
  } catch {
    return 0
  }
}

/** Waits until a node is ready again. */
export async function untilReady(url: string): Promise<void> {
  await until(`${url} is ready`, async () => (await readiness(url)) === 200)
}

/** Ends every connection of a database but this one. */
export async function terminateConnections(database: URL): Promise<void> {
  await administrate(
    database.href,
    `select pg_terminate_backend(pid) from pg_stat_activity
      where datname = current_database() and pid <> pg_backend_pid()`,
  )
}
