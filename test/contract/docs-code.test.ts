import assert from 'node:assert/strict'
import { execFile } from 'node:child_process'
import {
  globSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { promisify } from 'node:util'
import { parseFragment } from 'parse5'
import { parseDocument } from 'yaml'
import { SETTING_NAMES } from '#platform/config'
import { LANGUAGE_TAGS } from '#platform/highlight'
import { readChapters } from '#surfaces/docs/chapters'
import { requestCodesOf } from '#surfaces/openapi/request-code'
import { type OpenApiDocument, referenceOf } from '../../src/surfaces/openapi/reference.ts'
import { blocksOf } from '../support/docs-blocks.ts'
import { openTestService } from '../support/service.ts'
import { NEXT_AUTH, REACT } from '../support/snippet-project.ts'

const run = promisify(execFile)

/** What `{{name}}` is in the documentation of some installation. */
const VALUES: Record<string, string> = {
  base_url: 'https://purser.example',
  issuer: 'https://purser.example/o',
  mcp_url: 'https://purser.example/mcp',
  agent_client_id: 'purser-agent',
  localhost_port: '45454',
}

const site = readChapters()
  .filter(({ file }) => file.startsWith('docs/site/'))
  .flatMap(({ file, text }) => blocksOf(file, text, VALUES))
const readmes = globSync('packages/*/README.md').flatMap((path) =>
  blocksOf(path, readFileSync(path, 'utf8'), VALUES),
)
const blocks = [...site, ...readmes]
const tagged = (...tags: string[]) => blocks.filter(({ tag }) => tags.includes(tag))

let reference: OpenApiDocument
before(async () => {
  const service = await openTestService()
  reference = (await service.app.inject('/api/v1/schema/')).json()
  await service.close()
})

const folder = mkdtempSync(join(tmpdir(), 'purser-docs-code-'))
after(() => rmSync(folder, { recursive: true, force: true }))

function write(name: string, code: string): string {
  const path = join(folder, name)
  mkdirSync(dirname(path), { recursive: true })
  writeFileSync(path, `${code}\n`)
  return path
}

/**
 * Runs a program over a file; returns what it complained of, or undefined if it is not installed.
 */
async function complaints(program: string, ...args: string[]): Promise<string | undefined> {
  return await run(program, args).then(
    () => '',
    (error: { code?: unknown; stdout?: string; stderr?: string }) =>
      error.code === 'ENOENT' ? undefined : `${error.stdout}${error.stderr}`,
  )
}

test('each code block has a language that these tests check', () => {
  const checked = [
    'ts',
    'tsx',
    'js',
    'json',
    'sh',
    'env',
    'toml',
    'py',
    'go',
    'html',
    'yaml',
    'text',
  ]
  const unknown = blocks.filter(({ tag }) => !checked.includes(tag))
  assert.deepEqual(
    unknown.map(({ where, tag }) => `${where}: ${tag || 'no language'}`),
    [],
  )
  for (const tag of checked) assert.ok(tag === 'text' || LANGUAGE_TAGS.includes(tag), tag)
  assert.ok(blocks.length > 60)
})

describe('TypeScript of the documentation', () => {
  // test/client/readme.test.ts compiles that of the client's README.
  test('compiles with the client library, in the pages and in the API reference', async () => {
    const compilerOptions = {
      target: 'es2024',
      lib: ['es2024', 'dom'],
      module: 'esnext',
      moduleResolution: 'bundler',
      jsx: 'react-jsx',
      strict: true,
      noEmit: true,
      skipLibCheck: true,
      types: ['node'],
      // The files of a page import each other as a project does.
      paths: { '@/*': ['./docs/site/sign-in/auth-js/*'] },
    }
    symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
    write('package.json', JSON.stringify({ type: 'module' }))
    write('next-auth.d.ts', NEXT_AUTH)
    write('react.d.ts', REACT)
    write('tsconfig.json', JSON.stringify({ compilerOptions, include: ['**/*.ts', '**/*.tsx'] }))
    const own = site.filter(({ tag }) => tag === 'ts' || tag === 'tsx')
    for (const { where, tag, label, code } of own) {
      const [page = '', number] = where.split('.md block ')
      const name = label.includes('.') ? label : `block-${number}.${tag}`
      write(`${page}/${name}`, code)
    }
    for (const { id, tag, code } of samples()) {
      if (tag === 'ts') write(`reference/${id}.ts`, code)
    }
    const found = await complaints(resolve('node_modules/.bin/tsc'), '-p', folder)
    assert.equal(found, '')
    assert.ok(own.length >= 9)
  })
})

/** The samples of the API reference, by endpoint. */
function samples() {
  const { groups } = referenceOf(reference)
  const endpoints = groups.flatMap((group) => group.endpoints)
  return endpoints.flatMap((endpoint) =>
    requestCodesOf(endpoint, VALUES.base_url!).map((code) => ({ id: endpoint.id, ...code })),
  )
}

test('JavaScript of the documentation is valid, in its blocks and in its HTML', async () => {
  const scripts = tagged('html').flatMap(({ where, code }) =>
    [...code.matchAll(/<script type="module">([\s\S]*?)<\/script>/g)].map(([, script]) => ({
      where,
      code: script!,
    })),
  )
  const all = [...tagged('js'), ...scripts]
  assert.ok(all.length >= 3)
  for (const [index, { where, code }] of all.entries()) {
    const file = write(`js/block-${index}.mjs`, code)
    assert.equal(await complaints(process.execPath, '--check', file), '', where)
  }
})

test('HTML of the documentation has no parse errors', () => {
  for (const { where, code } of tagged('html')) {
    const faults: string[] = []
    parseFragment(code, {
      onParseError: ({ code, startLine }) => faults.push(`${startLine}: ${code}`),
    })
    assert.deepEqual(faults, [], where)
  }
})

test('JSON of the documentation can be parsed', () => {
  for (const { where, code } of tagged('json')) {
    assert.doesNotThrow(() => JSON.parse(code), where)
  }
})

test('YAML of the documentation can be parsed', () => {
  for (const { where, code } of tagged('yaml')) {
    assert.deepEqual(parseDocument(code).errors, [], where)
  }
})

/** The programs that the commands of the documentation start. */
const PROGRAMS = [
  ...['cd', 'claude', 'createdb', 'createuser', 'curl', 'git', 'go', 'mkdir', 'node', 'npm', 'npx'],
  ...['python3', 'rm', 'unzip', '.venv/bin/pip', '.venv/bin/python'],
]

test('commands of the documentation are valid, and call known programs and scripts', async () => {
  const { scripts } = JSON.parse(readFileSync('package.json', 'utf8'))
  for (const [index, { where, code }] of tagged('sh').entries()) {
    const file = write(`sh/block-${index}.sh`, code)
    assert.equal(await complaints('bash', '-n', file), '', where)
    const lines = code.replaceAll('\\\n', ' ').split('\n')
    for (const line of lines) {
      const [program = ''] = line.replace(/^([A-Z_]+=\S+ )+/, '').split(' ')
      assert.ok(PROGRAMS.includes(program), `${where}: ${line}`)
      const [, script] = /^npm run ([\w:-]+)/.exec(line) ?? []
      assert.ok(script === undefined || script in scripts, `${where}: ${line}`)
    }
  }
})

test('settings of the documentation are settings that exist', () => {
  const clients = ['PURSER_URL', 'PURSER_CLIENT_ID', 'PURSER_CLIENT_SECRET']
  for (const { where, code } of tagged('env')) {
    for (const line of code.split('\n')) {
      const [, name = ''] = /^([A-Z_]+)=.+$/.exec(line) ?? []
      assert.ok([...SETTING_NAMES, ...clients].includes(name), `${where}: ${line}`)
    }
  }
})

test('Python of the documentation compiles, in its blocks and in the API reference', async (t) => {
  const all = [
    ...tagged('py'),
    ...samples()
      .filter(({ tag }) => tag === 'py')
      .map(({ id, code }) => ({ where: `the API reference: ${id}`, code })),
  ]
  assert.ok(all.length >= 7)
  const files = all.map(({ code }, index) => write(`py/block-${index}.py`, code))
  const found = await complaints('python3', '-m', 'py_compile', ...files)
  if (found === undefined) return t.skip(`${files.length} blocks: python3 is not installed`)
  assert.equal(found, '')
})

const TOML = 'import sys, tomllib\nfor name in sys.argv[1:]: tomllib.load(open(name, "rb"))'

test('TOML of the documentation can be parsed', async (t) => {
  const files = tagged('toml').map(({ code }, index) => write(`toml/block-${index}.toml`, code))
  const found = await complaints('python3', '-c', TOML, ...files)
  const isMissing = found === undefined || /No module named 'tomllib'/.test(found)
  if (isMissing) return t.skip(`${files.length} blocks: python3 with tomllib is not installed`)
  assert.equal(found, '')
})

test('Go of the documentation is valid', async (t) => {
  const files = tagged('go').map(({ code }, index) => write(`go/block-${index}.go`, code))
  if (files.length === 0) return
  const found = await complaints('gofmt', '-e', '-l', ...files)
  if (found === undefined) return t.skip(`${files.length} blocks: gofmt is not installed`)
  assert.equal(found, '')
})
