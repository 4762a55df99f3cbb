/** A package of this project as it is published: built, packed and unpacked again. */
import { execFileSync } from 'node:child_process'
import {
  copyFileSync,
  existsSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

export interface PackedPackage extends Disposable {
  /** A project in which only this package is installed. */
  project: string
  /** Where it is installed. */
  folder: string
  /** The paths in the tarball. */
  files: string[]
  tarball: Buffer
  tarball_path: string
  manifest: {
    name: string
    version: string
    sideEffects: boolean
    exports: Record<string, unknown>
    [field: string]: unknown
  }
}

/**
 * Builds a package from its source, so that what an older build left behind is not tested, and
 * packs it. `source` is its folder, such as `packages/client`.
 */
export function packPackage(source: string): PackedPackage {
  const project = mkdtempSync(join(tmpdir(), 'purser-package-'))
  const built = join(project, 'built')
  mkdirSync(built)
  for (const name of ['package.json', 'README.md', 'LICENSE']) {
    copyFileSync(join(source, name), join(built, name))
  }
  const outDir = join(built, 'dist')
  const own = join(source, 'build.mjs')
  if (existsSync(own)) execFileSync(process.execPath, [own, outDir])
  else execFileSync(resolve('node_modules/.bin/tsc'), ['-p', source, '--outDir', outDir])
  const options = ['--ignore-scripts', '--json', '--pack-destination', project]
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
  const answer = execFileSync('npm', ['pack', ...options], { cwd: built, stdio, encoding: 'utf8' })
  const [packed] = JSON.parse(answer) as { filename: string; files: { path: string }[] }[]
  const tarball_path = join(project, packed!.filename)
  const manifest = JSON.parse(readFileSync(join(built, 'package.json'), 'utf8'))
  const folder = join(project, 'node_modules', manifest.name)
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', tarball_path, '-C', folder, '--strip-components', '1'])
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }\n')
  return {
    project,
    folder,
    files: packed!.files.map((file) => file.path),
    tarball: readFileSync(tarball_path),
    tarball_path,
    manifest,
    [Symbol.dispose]: () => rmSync(project, { recursive: true, force: true }),
  }
}
