/** The command line program as it is published, and what its documents say of it. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { publint } from 'publint'
import { EXIT } from '../../packages/cli/src/exit.ts'
import { DEFAULT_FILE } from '../../packages/cli/src/listing/file.ts'
import { type PackedPackage, packPackage } from '../support/packed-package.ts'

let packed: PackedPackage
before(() => {
  packed = packPackage('packages/cli')
})
after(() => packed[Symbol.dispose]())

test('the tarball has the manifest, the README, the license and the built files only', () => {
  const built = globSync('packages/cli/src/**/*.ts').map((path) =>
    path.replace('packages/cli/src/', 'dist/').replace(/\.ts$/, '.js'),
  )
  assert.ok(built.length > 20)
  const expected = ['LICENSE', 'README.md', 'package.json', ...built]
  assert.deepEqual(packed.files.toSorted(), expected.toSorted())
})

test('publint finds nothing, suggestions included', async () => {
  const { messages } = await publint({ pkgDir: packed.folder, strict: true, pack: false })
  assert.deepEqual(messages, [])
})

test('dependencies have exact versions, and there are no scripts of installation', () => {
  const { dependencies, scripts } = packed.manifest as Record<string, Record<string, string>>
  for (const [name, version] of Object.entries(dependencies!)) {
    assert.match(version, /^\d+\.\d+\.\d+$/, name)
  }
  assert.ok(!Object.keys(scripts!).some((name) => name.includes('install')))
})

/** Runs the program of the build beside its source, where its dependencies are installed. */
const help = (...args: string[]) =>
  execFileSync(process.execPath, ['packages/cli/dist/main.js', ...args, '--help'], {
    encoding: 'utf8',
  })

test('each command of the documents exists, with the options that they name', () => {
  const documents = ['packages/cli/README.md', 'docs/site/command-line.md']
  const lines = documents.flatMap((path) => [
    ...readFileSync(path, 'utf8').matchAll(/^npx purser (\w+)(.*)$/gm),
  ])
  assert.ok(lines.length > 8)
  const texts = new Map<string, string>()
  for (const [line, command = '', rest = ''] of lines) {
    if (!texts.has(command)) texts.set(command, help(command))
    for (const [option] of rest.matchAll(/(?<= )--[\w-]+/g)) {
      assert.ok(texts.get(command)?.includes(option), line)
    }
  }
})

test('the help of pull and push names the file that they use if none is given', () => {
  for (const command of ['pull', 'push']) assert.ok(help(command).includes(DEFAULT_FILE), command)
})

test('the README lists every command and every exit code', () => {
  const readme = readFileSync(join(packed.folder, 'README.md'), 'utf8')
  const commands = [...help().matchAll(/^ {2}([a-z]+) /gm)].map(([, name]) => name!)
  assert.ok(commands.length >= 8)
  for (const name of commands.filter((each) => each !== 'help')) {
    assert.match(readme, new RegExp(`^\\| .*\`${name}[ \`]`, 'm'), name)
  }
  for (const code of Object.values(EXIT)) assert.ok(readme.includes(`| ${code} | `), String(code))
})
