/** Other runtimes, installed from npm into a cache: they are too large to be dependencies. */
import { execFile } from 'node:child_process'
import { cpSync, existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { createRequire } from 'node:module'
import { join, resolve } from 'node:path'
import { pathToFileURL } from 'node:url'
import { promisify } from 'node:util'
import { build } from 'esbuild'

const run = promisify(execFile)

const HERE = 'test/process/client-runtimes'
const CACHE = resolve('node_modules/.cache/client-runtimes')
const NODE_20 = `node-${process.platform}-${process.arch}`

/** Exact versions. The programs of bun, deno and workerd come in packages of their platforms. */
const VERSIONS: Record<string, string> = {
  bun: '1.4.5',
  deno: '2.9.6',
  miniflare: '4.20260730.0',
  [NODE_20]: '20.20.2',
  // It cannot `require` ES modules.
  'node-20.10': `npm:${NODE_20}@20.10.0`,
}

/** Runs a part of the scenario with its facts. */
export type Runtime = (part: string, facts: object) => Promise<unknown>

/** Installs the runtimes, unless they are there; the reason if that is not possible. */
export async function install(): Promise<string | undefined> {
  const manifest = JSON.stringify({ private: true, dependencies: VERSIONS })
  const lock = join(CACHE, 'package.json')
  const isDone = join(CACHE, 'node_modules/.package-lock.json')
  if (existsSync(isDone) && existsSync(lock) && readFileSync(lock, 'utf8') === manifest) return
  mkdirSync(CACHE, { recursive: true })
  writeFileSync(lock, manifest)
  const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries', '0']
  try {
    await run('npm', ['install', ...options], { cwd: CACHE, timeout: 300_000 })
  } catch (error) {
    writeFileSync(lock, '')
    const { message } = error as Error
    const lines = message.split('\n').filter((line) => /npm error (code|network)/.test(line))
    return `npm could not install bun, deno, miniflare and older Node: ${lines.slice(0, 2).join('; ')}`
  }
}

/** The commands of the installed runtimes that run a file. */
export const COMMANDS: Record<string, () => string[]> = {
  'Node 20': () => [program(`${NODE_20}/bin/node`)],
  Bun: () => [program('@oven/bun-*/bin/bun')],
  Deno: () => [program('@deno/*/deno'), 'run', '--allow-all', '--node-modules-dir=manual'],
}

function program(pattern: string): string {
  const [path] = globSync(join(CACHE, 'node_modules', pattern))
  if (!path) throw new Error(`no ${pattern} in ${CACHE}`)
  return path
}

/** Puts the scenario into a project that has the client installed. */
export function prepare(project: string): void {
  for (const name of ['scenario.js', 'command.js', 'worker.js']) {
    cpSync(join(HERE, name), join(project, name))
  }
}

/** Node 20.10, for CommonJS. */
export const OLD_NODE = () => [program('node-20.10/bin/node')]

/** Makes `command.cjs` of the scenario; it loads the client by `require`. */
export async function asCommonJs(project: string): Promise<void> {
  await build({
    entryPoints: [join(project, 'command.js')],
    outfile: join(project, 'command.cjs'),
    bundle: true,
    platform: 'node',
    format: 'cjs',
    external: ['@purser/client'],
  })
}

/** A runtime that is a command. */
export function asCommand(
  project: string,
  [file = '', ...options]: string[],
  program = 'command.js',
): Runtime {
  return async (part, facts) => {
    const argv = [...options, program, part, JSON.stringify(facts)]
    const env = { ...process.env, NODE_OPTIONS: '', DENO_NO_UPDATE_CHECK: '1' }
    const { stdout } = await run(file, argv, { cwd: project, timeout: 60_000, env })
    return JSON.parse(stdout)
  }
}

/** Cloudflare's workerd, with the scenario as its worker. */
export async function openWorkerd(
  project: string,
): Promise<{ runtime: Runtime; close(): Promise<void> }> {
  const entry = join(project, 'worker.js')
  const options = { bundle: true, write: false, format: 'esm', platform: 'neutral' } as const
  const { outputFiles } = await build({ entryPoints: [entry], ...options })
  const path = createRequire(join(CACHE, 'index.js')).resolve('miniflare')
  const { Miniflare } = await import(pathToFileURL(path).href)
  const worker = new Miniflare({
    modules: true,
    script: outputFiles[0]!.text,
    compatibilityDate: '2026-01-01',
  })
  return {
    async runtime(part, facts) {
      const init = { method: 'POST', body: JSON.stringify(facts) }
      const answer = await worker.dispatchFetch(`http://localhost/${part}`, init)
      const text = await answer.text()
      if (!answer.ok) throw new Error(text)
      return JSON.parse(text)
    },
    close: () => worker.dispose(),
  }
}
