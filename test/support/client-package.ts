/** The client library as sellers install it: built, packed and unpacked again. */
import { execFileSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'

const SOURCE = 'packages/client'

export interface ClientPackage extends Disposable {
  /** A project in which only `@purser/client` is installed. */
  project: string
  /** Where it is installed. */
  folder: string
  /** The paths in the tarball. */
  files: string[]
  tarball: Buffer
  manifest: {
    version: string
    sideEffects: boolean
    exports: Record<string, unknown>
    [field: string]: unknown
  }
}

/** Builds the client from its source, so that what an older build left behind is not tested. */
export function packClient(): ClientPackage {
  const project = mkdtempSync(join(tmpdir(), 'purser-client-'))
  const built = join(project, 'built')
  mkdirSync(built)
  for (const name of ['package.json', 'README.md', 'LICENSE']) {
    copyFileSync(join(SOURCE, name), join(built, name))
  }
  const outDir = join(built, 'dist')
  execFileSync(resolve('node_modules/.bin/tsc'), ['-p', SOURCE, '--outDir', outDir])
  const options = ['--ignore-scripts', '--json', '--pack-destination', project]
  const stdio: ['ignore', 'pipe', 'ignore'] = ['ignore', 'pipe', 'ignore']
  const answer = execFileSync('npm', ['pack', ...options], { cwd: built, stdio, encoding: 'utf8' })
  const [packed] = JSON.parse(answer) as { filename: string; files: { path: string }[] }[]
  const path = join(project, packed!.filename)
  const folder = join(project, 'node_modules/@purser/client')
  mkdirSync(folder, { recursive: true })
  execFileSync('tar', ['-xzf', path, '-C', folder, '--strip-components', '1'])
  writeFileSync(join(project, 'package.json'), '{ "type": "module", "private": true }\n')
  return {
    project,
    folder,
    files: packed!.files.map((file) => file.path),
    tarball: readFileSync(path),
    manifest: JSON.parse(readFileSync(join(folder, 'package.json'), 'utf8')),
    [Symbol.dispose]: () => rmSync(project, { recursive: true, force: true }),
  }
}
