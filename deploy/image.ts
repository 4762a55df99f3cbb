/**
 * Assembles the tree that the container image has, without a container runtime: `npm run image --
 * FOLDER`. It has the sources, the built assets, Node.js, and the dependencies that a running
 * service loads. Nothing in it is written at run time. deploy/Dockerfile copies it.
 */
import { execFileSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { misused, readArguments } from '../scripts/read-arguments.ts'

const USAGE = `Usage: npm run image -- FOLDER

Assembles the tree that the container image has in a new folder, without a container runtime.`

const ROOT = fileURLToPath(new URL('..', import.meta.url))
const CONTENT = [
  'package.json',
  'CHANGELOG.md',
  'LICENSE',
  'src',
  'migrations',
  'legal',
  'docs/site',
  'docs/operate',
  'scripts',
  'packages',
  'examples',
  '.build/assets',
  '.build/compiled',
]
/** What only the build needs, and Node.js itself, which is in `bin`. */
const BUILD_ONLY =
  /^node_modules\/(node-linux-\w+|node-win-\w+|esbuild|@esbuild\/.*|tailwindcss|@tailwindcss\/.*|daisyui|lightningcss.*|@parcel\/.*)(\/|$)/

/**
 * Nested packages are listed on their own. Node.js loads neither types nor maps nor pages, and no
 * TypeScript of a package.
 */
const UNUSED = /^node_modules\/.*(\/node_modules|\.([mc]?ts|map|md|flow))$/

interface LockedPackage {
  dev?: boolean
  devOptional?: boolean
  link?: boolean
}

/** The folder has something in it, such as the tree of another release. */
class NotEmpty extends Error {}

/** Assembles the tree in an empty folder. The service must have been built. */
export function assembleImage(folder: string): void {
  if (existsSync(folder) && readdirSync(folder).length > 0) {
    throw new NotEmpty(`${folder} is not empty. Choose a new folder.`)
  }
  for (const path of [...CONTENT, ...runtimePackages()]) {
    if (!existsSync(join(ROOT, path))) continue
    cpSync(join(ROOT, path), join(folder, path), {
      recursive: true,
      verbatimSymlinks: true,
      filter: (source) => !UNUSED.test(source.slice(ROOT.length)),
    })
  }
  mkdirSync(join(folder, 'bin'))
  cpSync(process.execPath, join(folder, 'bin', 'node'), { dereference: true })
}

/** The folders of the packages that are installed and not for development only. */
function runtimePackages(): string[] {
  const lock: { packages: Record<string, LockedPackage> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  )
  return Object.entries(lock.packages).flatMap(([path, { dev, devOptional }]) =>
    path.startsWith('node_modules/') && !dev && !devOptional && !BUILD_ONLY.test(path)
      ? [path]
      : [],
  )
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  const { positionals } = readArguments(USAGE, { has_arguments: true })
  const [folder, ...others] = positionals
  if (!folder || others.length > 0) misused(USAGE)
  try {
    assembleImage(folder)
  } catch (error) {
    if (!(error instanceof NotEmpty)) throw error
    console.error(error.message)
    process.exit(1)
  }
  console.log(execFileSync('du', ['-sm', folder], { encoding: 'utf8' }).trim())
}
