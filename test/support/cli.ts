/** The packed command line program in a folder of its own, with npm from a registry here. */
import { type ChildProcessWithoutNullStreams, execFile, spawn } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { openPackageRegistry } from './package-registry.ts'
import { type PackedPackage, packPackage } from './packed-package.ts'

const run = promisify(execFile)

/** How a command ended. */
export interface CommandEnd {
  code: number
  stdout: string
  stderr: string
  /** The document of `--json`. Throws if stdout is not one JSON document. */
  // biome-ignore lint/suspicious/noExplicitAny: a test reads what it expects.
  json: any
}

/** A command that runs. */
export interface RunningCommand {
  /** Waits until stderr or stdout matches. */
  seen(pattern: RegExp): Promise<RegExpExecArray>
  end: Promise<CommandEnd>
  stop(signal: NodeJS.Signals): void
}

/** A command whose questions a person answers. */
export interface TypedCommand extends RunningCommand {
  type(text: string): void
}

export interface CliProject extends AsyncDisposable {
  folder: string
  /** Runs `purser` with arguments, further environment variables and stdin. */
  purser(args: string[], env?: Record<string, string>, input?: string): Promise<CommandEnd>
  start(args: string[], env?: Record<string, string>, input?: string): RunningCommand
  /** Runs `purser` on a pseudo terminal, where a person answers; all output is `stdout`. */
  onTerminal(args: string[], env?: Record<string, string>): TypedCommand
  /** Runs a command by `npx --package` of the tarball. */
  npx(args: string[], env?: Record<string, string>): Promise<CommandEnd>
}

/** Packs the program and installs it as a seller does, without a network. */
export async function openCliProject(): Promise<CliProject> {
  const packed: PackedPackage = packPackage('packages/cli')
  const dependencies = Object.keys(Object(packed.manifest.dependencies))
  const folders = dependencies.map((name) => [name, `node_modules/${name}`])
  const registry = await openPackageRegistry(Object.fromEntries(folders))
  const folder = mkdtempSync(join(tmpdir(), 'purser-cli-'))
  const base = {
    PATH: `${dirname(process.execPath)}:${process.env.PATH}`,
    HOME: folder,
    XDG_CONFIG_HOME: join(folder, 'config'),
    npm_config_registry: registry.url,
    npm_config_cache: join(folder, '.npm'),
    npm_config_userconfig: devNull,
  }
  const installed = join(folder, 'installed')
  mkdirSync(installed)
  writeFileSync(join(installed, 'package.json'), '{ "private": true }')
  const options = { cwd: installed, env: base }
  await run('npm', ['install', '--no-audit', '--no-fund', packed.tarball_path], options)
  const program = join(installed, 'node_modules/.bin/purser')
  const start = (args: string[], env = {}, input = '') =>
    started(program, args, { cwd: folder, env: { ...base, ...env } }, input)
  return {
    folder,
    start,
    onTerminal(args, env = {}) {
      const command = [program, ...args].map((word) => `'${word}'`).join(' ')
      const options = ['--quiet', '--flush', '--return', '--command', command, devNull]
      const child = spawn('script', options, {
        cwd: folder,
        env: { ...base, TERM: 'xterm', SHELL: '/bin/sh', ...env },
        stdio: 'pipe',
      })
      return { ...watched(child), type: (text) => child.stdin.write(text) }
    },
    purser: async (args, env, input) => await start(args, env, input).end,
    npx: async (args, env = {}) => {
      const all = ['--yes', '--package', packed.tarball_path, '--', 'purser', ...args]
      return await started('npx', all, { cwd: folder, env: { ...base, ...env } }, '').end
    },
    async [Symbol.asyncDispose]() {
      packed[Symbol.dispose]()
      await registry[Symbol.asyncDispose]()
      rmSync(folder, { recursive: true, force: true })
    },
  }
}

function started(
  program: string,
  args: string[],
  options: { cwd: string; env: Record<string, string> },
  input: string,
): RunningCommand {
  const child = spawn(program, args, { ...options, stdio: 'pipe' })
  child.stdin.end(input)
  return watched(child)
}

function watched(child: ChildProcessWithoutNullStreams): RunningCommand {
  let [stdout, stderr] = ['', '']
  const watchers = new Set<() => void>()
  child.stdout.setEncoding('utf8').on('data', (text) => {
    stdout += text
    for (const watch of watchers) watch()
  })
  child.stderr.setEncoding('utf8').on('data', (text) => {
    stderr += text
    for (const watch of watchers) watch()
  })
  const end = new Promise<CommandEnd>((resolve, reject) => {
    child.once('error', reject)
    child.once('close', (code) => {
      for (const watch of watchers) watch()
      const json = { get: () => JSON.parse(stdout), enumerable: false }
      const facts = { code: code ?? -1, stdout, stderr }
      resolve(Object.defineProperty(facts, 'json', json) as CommandEnd)
    })
  })
  return {
    end,
    stop: (signal) => child.kill(signal),
    seen: async (pattern) =>
      await new Promise((resolve, reject) => {
        const watch = () => {
          const found = pattern.exec(stdout) ?? pattern.exec(stderr)
          if (found) resolve(found)
          else if (child.exitCode !== null) reject(new Error(`ended: ${stdout}${stderr}`))
        }
        watchers.add(watch)
        watch()
      }),
  }
}
