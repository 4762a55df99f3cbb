import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { transformSync } from 'oxc-transform'
import { hashFiles } from './hash-files.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
const built = join(root, '.build/packages')

const tsc = (name: string) =>
  execFileSync(join(root, 'node_modules/.bin/tsc'), ['-p', join(root, 'packages', name)], {
    stdio: 'inherit',
  })

/** The client comes first: the command line program is compiled with its types. */
const PACKAGES = [
  { name: 'client', compile: buildClient },
  { name: 'cli', compile: () => tsc('cli'), uses: 'client' },
  { name: 'components', compile: () => tsc('components') },
]

/** What a compiled package has: all that is published, or only what this repository runs. */
export type PackageParts = 'all' | 'modules'

/**
 * Compiles each package whose sources have changed since it was last compiled. Its ES modules
 * alone take a tenth of the time, so a start waits for no more.
 */
export async function buildPackages(parts: PackageParts = 'all'): Promise<void> {
  mkdirSync(built, { recursive: true })
  for (const { name, compile, uses } of PACKAGES) {
    const inputs = await hashInputs(uses === undefined ? [name] : [name, uses])
    const stamp = join(built, name)
    const compiled = (of: PackageParts) => `${inputs} ${of}`
    const current = [compiled('all'), compiled(parts)]
    const isThere = existsSync(join(root, 'packages', name, 'dist')) && existsSync(stamp)
    if (isThere && current.includes(readFileSync(stamp, 'utf8'))) continue
    if (parts === 'all') compile()
    else compileModules(name, join(root, 'packages', name, 'dist'))
    writeFileSync(stamp, compiled(parts))
  }
}

/** Compiles the ES modules of a package into a folder, without their types. */
export function compileModules(name: string, out: string): void {
  const src = join(root, 'packages', name, 'src')
  const options = { typescript: { rewriteImportExtensions: 'rewrite' as const } }
  for (const path of globSync('**/*.ts', { cwd: src })) {
    const source = readFileSync(join(src, path), 'utf8')
    const { code, errors } = transformSync(path, source, options)
    if (errors.length > 0) throw new SyntaxError(`${name}/src/${path}: ${errors[0]!.message}`)
    const compiled = join(out, path.replace(/\.ts$/, '.js'))
    mkdirSync(dirname(compiled), { recursive: true })
    writeFileSync(compiled, code)
  }
}

function buildClient(): void {
  execFileSync(process.execPath, [join(root, 'packages/client/build.mjs')], { stdio: 'inherit' })
}

/** The lockfile names the versions of the compiler and of the types of libraries. */
function hashInputs(names: readonly string[]): Promise<string> {
  const own = names.map((name) => `packages/${name}/{src/**/*.*,*.json,*.mjs}`)
  const files = globSync([...own, 'tsconfig.json', 'package-lock.json'], { cwd: root })
  return hashFiles(files.map((file) => join(root, file)))
}
