/**
 * Packages in other languages, and others of npm, installed into a cache for the tests that run
 * them.
 */
import { execFile } from 'node:child_process'
import { existsSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'

const run = promisify(execFile)
const MAX_MS = 300_000

/** Where something is installed, or why it is not. */
export type Installed = { folder: string; missing?: undefined } | { missing: string }

/** Exact versions by package. */
export type Versions = Readonly<Record<string, string>>

/** Installs with `fill` into a folder of the cache, unless these versions are there. */
async function cached(
  name: string,
  versions: Versions,
  fill: (folder: string) => Promise<void>,
): Promise<Installed> {
  const folder = resolve('node_modules/.cache', name)
  const mark = join(folder, 'installed.json')
  const wanted = JSON.stringify(versions)
  if (existsSync(mark) && readFileSync(mark, 'utf8') === wanted) return { folder }
  rmSync(folder, { recursive: true, force: true })
  mkdirSync(folder, { recursive: true })
  try {
    await fill(folder)
  } catch (error) {
    const { message } = error as Error
    const said = message.split('\n').filter((line) => /error|denied|not found|no such/i.test(line))
    return { missing: `${name} could not be installed: ${said[0] ?? message}` }
  }
  writeFileSync(mark, wanted)
  return { folder }
}

/** Installs packages of npm. */
export async function installFromNpm(name: string, versions: Versions): Promise<Installed> {
  return await cached(name, versions, async (cwd) => {
    const manifest = { private: true, type: 'module', dependencies: versions }
    writeFileSync(join(cwd, 'package.json'), JSON.stringify(manifest))
    const options = ['--ignore-scripts', '--no-audit', '--no-fund', '--fetch-retries', '0']
    await run('npm', ['install', ...options], { cwd, timeout: MAX_MS })
  })
}

/** Installs packages of Python into a virtual environment; `bin/python` runs them. */
export async function installFromPip(name: string, versions: Versions): Promise<Installed> {
  return await cached(name, versions, async (folder) => {
    await run('python3', ['-m', 'venv', folder], { timeout: MAX_MS })
    const wanted = Object.entries(versions).map(([each, version]) => `${each}==${version}`)
    const options = ['install', '--quiet', '--retries', '0', '--disable-pip-version-check']
    await run(join(folder, 'bin/pip'), [...options, ...wanted], { timeout: MAX_MS })
  })
}

/**
 * Makes a module of Go that requires these packages, with the checksums of all that they import.
 */
export async function installFromGo(name: string, versions: Versions): Promise<Installed> {
  return await cached(name, versions, async (cwd) => {
    await run('go', ['mod', 'init', 'your-app.example'], { cwd })
    const wanted = Object.entries(versions).map(([each, version]) => `${each}@${version}`)
    await run('go', ['get', ...wanted], { cwd, timeout: MAX_MS })
  })
}
