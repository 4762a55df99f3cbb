import { execFileSync } from 'node:child_process'
import { existsSync, globSync, mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
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

/** Compiles each package whose sources have changed since it was last compiled. */
export async function buildPackages(): Promise<void> {
  mkdirSync(built, { recursive: true })
  for (const { name, compile, uses } of PACKAGES) {
    const inputs = await hashInputs(uses === undefined ? [name] : [name, uses])
    const stamp = join(built, name)
    const isCompiled = existsSync(join(root, 'packages', name, 'dist'))
    if (isCompiled && existsSync(stamp) && readFileSync(stamp, 'utf8') === inputs) continue
    compile()
    writeFileSync(stamp, inputs)
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
