/** The packed command line program in a folder of its own, with npm from a registry here. */
import { execFile } from 'node:child_process'
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { devNull, tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { promisify } from 'node:util'
import { openPackageRegistry } from './package-registry.ts'
import { type PackedPackage, packPackage } from './packed-package.ts'
import {
  type CommandEnd,
  type RunningCommand,
  started,
  startedOnTerminal,
  type TypedCommand,
} from './running-command.ts'

const run = promisify(execFile)

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
    onTerminal: (args, env = {}) =>
      startedOnTerminal([program, ...args], { cwd: folder, env: { ...base, ...env } }),
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
