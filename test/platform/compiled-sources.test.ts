import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { after, before, test } from 'node:test'
import { fileURLToPath } from 'node:url'
import { compileModules } from '../../scripts/build-packages.ts'
import { buildSources } from '../../scripts/build-sources.ts'
import { readCompiled } from '../../scripts/compiled-sources.mjs'

const folder = mkdtempSync(join(tmpdir(), 'purser-compiled-'))
before(() => buildSources(folder))
after(() => rmSync(folder, { recursive: true }))

const fileOf = (path: string) => fileURLToPath(new URL(`../../src/${path}`, import.meta.url))

test('a .ts file keeps its lines and columns, and a .tsx file becomes JavaScript', () => {
  const file = fileOf('platform/text.ts')
  const source = readFileSync(file, 'utf8')
  const lengths = (text: string) => text.split('\n').map((line) => line.length)
  assert.deepEqual(lengths(readCompiled(file, source, folder)!), lengths(source))
  const page = fileOf('platform/design/layout.tsx')
  assert.match(readCompiled(page, readFileSync(page, 'utf8'), folder)!, /preact\/jsx-runtime/)
})

test('a changed source is not what was compiled before', () => {
  const file = fileOf('platform/text.ts')
  const source = readFileSync(file, 'utf8')
  assert.notEqual(readCompiled(file, source, folder), undefined)
  assert.equal(readCompiled(file, `${source}\n`, folder), undefined)
  assert.equal(readCompiled(`${file}x`, source, folder), undefined, 'as another language')
})

test('a build deletes what no source needs, and leaves the rest as it is', async () => {
  const names = readdirSync(folder)
  writeFileSync(join(folder, 'former.js'), '')
  rmSync(join(folder, names[0]!))
  await buildSources(folder)
  assert.deepEqual(readdirSync(folder).sort(), names.sort())
})

test('a start of the service loads no compiler', () => {
  const program = `
    await import('./src/service.ts')
    console.log(process.moduleLoadList.filter((name) => /deps\\/amaro/.test(name)).length)
    console.log([...process.report.getReport().sharedObjects].filter((name) => /oxc/.test(name)).length)`
  const flags = ['--import', './scripts/register-tsx.mjs', '--input-type=module', '--eval']
  const output = execFileSync(process.execPath, [...flags, program], { encoding: 'utf8' })
  assert.equal(output, '0\n0\n')
})

for (const name of ['client', 'cli', 'components']) {
  test(`a start compiles the modules of ${name} that are published, with their exports`, async () => {
    const published = fileURLToPath(new URL(`../../packages/${name}/dist`, import.meta.url))
    // Beside the published ones, where their dependencies are found.
    const compiled = mkdtempSync(join(published, '../.compiled-'))
    try {
      compileModules(name, compiled)
      const modules = globSync('**/*.js', { cwd: compiled }).sort()
      const expected = globSync('**/*.js', { cwd: published }).filter(
        (path) => !path.startsWith('cjs/'),
      )
      assert.deepEqual(modules, expected.sort())
      for (const path of modules.filter((path) =>
        /^(index|testing\/index|program)\.js$/.test(path),
      )) {
        const exports = async (folder: string) => Object.keys(await import(join(folder, path)))
        assert.deepEqual(await exports(compiled), await exports(published), path)
      }
    } finally {
      rmSync(compiled, { recursive: true })
    }
  })
}
