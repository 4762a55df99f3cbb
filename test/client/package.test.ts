/** The package as it is published: contents, exports, types, sizes. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { globSync, writeFileSync } from 'node:fs'
import { builtinModules } from 'node:module'
import { join, resolve } from 'node:path'
import { after, before, describe, test } from 'node:test'
import { gzipSync } from 'node:zlib'
import { checkPackage, createPackageFromTarballData } from '@arethetypeswrong/core'
import { build } from 'esbuild'
import { publint } from 'publint'
import { FULL_ONLY } from '../support/budget.ts'
import { type ClientPackage, packClient } from '../support/client-package.ts'

let packed: ClientPackage
before(() => {
  packed = packClient()
})
after(() => packed[Symbol.dispose]())

const SUBPATHS = ['.', './express', './fastify', './hono', './next', './testing']

test('the tarball has the manifest, the README, the license and the built files only', () => {
  const sources = globSync('packages/client/src/**/*.ts')
  const built = sources.flatMap((path) => {
    const name = path.replace('packages/client/src/', 'dist/').replace(/\.ts$/, '')
    return [name, name.replace('dist/', 'dist/cjs/')].flatMap((path) => [
      `${path}.js`,
      `${path}.d.ts`,
    ])
  })
  assert.ok(built.length > 60)
  const expected = ['LICENSE', 'README.md', 'package.json', 'dist/cjs/package.json', ...built]
  assert.deepEqual(packed.files.toSorted(), expected.toSorted())
})

test('the package has no dependencies, no scripts of installation and no side effects', () => {
  const { manifest } = packed
  for (const field of [
    'dependencies',
    'optionalDependencies',
    'peerDependencies',
    'bundledDependencies',
  ]) {
    assert.equal(manifest[field], undefined, field)
  }
  const scripts = Object.keys(Object(manifest.scripts))
  assert.deepEqual(
    scripts.filter((name) => /install/.test(name)),
    [],
  )
  assert.equal(manifest.sideEffects, false)
  assert.deepEqual(Object.keys(manifest.exports), [...SUBPATHS, './package.json'])
})

test('publint finds nothing, suggestions included', async () => {
  const { messages } = await publint({ pkgDir: packed.folder, strict: true, pack: false })
  assert.deepEqual(messages, [])
})

test('attw finds nothing: old and new resolution, ES modules and CommonJS, each entry', async () => {
  const result = await checkPackage(createPackageFromTarballData(packed.tarball))
  assert.ok(result.types)
  assert.deepEqual(Object.keys(result.entrypoints), [...SUBPATHS, './package.json'])
  assert.deepEqual(result.problems, [])
})

const CONSUMER = `
import * as client from '@purser/client'
import * as express from '@purser/client/express'
import * as fastify from '@purser/client/fastify'
import * as hono from '@purser/client/hono'
import * as next from '@purser/client/next'
import { createTestPurser } from '@purser/client/testing'

const purser: client.Client = createTestPurser().client
const licenses = client.cachedValidator(purser, { max_age_seconds: 60, grace_seconds: 60 })
export const handlers = [express, fastify, hono, next].map(({ requireLicense }) => requireLicense)
export const route = next.requireLicense(licenses)((_request, license) => {
  // @ts-expect-error: a status that does not exist
  if (license.status === 'refunded') throw new Error()
  return Response.json({ status: license.status })
})
`

const NODENEXT = { module: 'nodenext' }
/** What a server has that is compiled without the types of browsers. */
const NODE_ONLY = {
  module: 'nodenext',
  lib: ['es2022'],
  types: ['node'],
  typeRoots: [resolve('node_modules/@types')],
}
/** What Express apps of older years have. */
const NODE10 = { module: 'commonjs', moduleResolution: 'node10' }

const NEW_TSC = 'node_modules/typescript/bin/tsc'
const OLD_TSC = 'node_modules/@arethetypeswrong/core/node_modules/typescript/bin/tsc'

describe('types compile where no framework is installed', () => {
  for (const [name, path, how, files, options] of [
    ['the current TypeScript', NEW_TSC, NODENEXT, ['esm.mts', 'cjs.cts'], {}],
    ['the types of Node, and none of browsers', NEW_TSC, NODE_ONLY, ['esm.mts', 'cjs.cts'], {}],
    ['TypeScript 5.6', OLD_TSC, NODENEXT, ['esm.mts', 'cjs.cts'], FULL_ONLY],
    ['TypeScript 5.6 that does not read exports', OLD_TSC, NODE10, ['old.ts'], FULL_ONLY],
  ] as const) {
    test(`with ${name}: ${files.join(', ')}`, options, () => {
      for (const file of files) writeFileSync(join(packed.project, file), CONSUMER)
      const compilerOptions = {
        target: 'es2022',
        lib: ['es2022', 'dom'],
        types: [],
        ...how,
        strict: true,
        exactOptionalPropertyTypes: true,
        skipLibCheck: false,
        noEmit: true,
      }
      const config = join(packed.project, 'tsconfig.json')
      writeFileSync(config, JSON.stringify({ compilerOptions, files }))
      const run = () =>
        execFileSync(process.execPath, [resolve(path), '-p', config], {
          encoding: 'utf8',
          stdio: 'pipe',
        })
      assert.equal(outputOf(run), '')
    })
  }
})

function outputOf(run: () => string): string {
  try {
    return run()
  } catch (error) {
    return String((error as { stdout: string }).stdout)
  }
}

/** What a bundle of some code weighs in bytes, minified and compressed. */
async function weigh(code: string): Promise<{ bytes: number; text: string }> {
  const { outputFiles } = await build({
    stdin: { contents: code, resolveDir: packed.project },
    bundle: true,
    minify: true,
    write: false,
    logLevel: 'silent',
    format: 'esm',
    platform: 'neutral',
    target: 'es2022',
  })
  const text = outputFiles[0]!.text
  return { bytes: gzipSync(text, { level: 9 }).byteLength, text }
}

/** The largest sizes, in bytes; a little more than measured, so that growth is noticed. */
const SIZES: [what: string, code: string, most: number][] = [
  ['everything of the main entry', "export * from '@purser/client'", 7_850],
  ['createClient', "export { createClient } from '@purser/client'", 3_950],
  ['createSignIn', "export { createSignIn } from '@purser/client'", 5_400],
  ['buyLink', "export { buyLink } from '@purser/client'", 650],
  ['Express middleware', "export { requireLicense } from '@purser/client/express'", 2_000],
  ['Fastify hook', "export { requireLicense } from '@purser/client/fastify'", 2_000],
  ['Hono middleware', "export { requireLicense } from '@purser/client/hono'", 2_000],
  ['Next.js guard', "export { requireLicense } from '@purser/client/next'", 2_000],
]

describe('sizes', () => {
  for (const [what, code, most] of SIZES) {
    test(`${what}: at most ${most} bytes`, async () => {
      assert.ok(most < 10_000)
      const { bytes } = await weigh(code)
      assert.ok(bytes <= most, `${bytes} bytes`)
      assert.ok(bytes > most / 2, `${bytes} bytes: lower the limit`)
    })
  }

  test('an import that is not used adds nothing', async () => {
    for (const subpath of SUBPATHS) {
      const { text } = await weigh(`import '@purser/client${subpath.slice(1)}'`)
      assert.equal(text.trim(), '', subpath)
    }
  })

  test('no file imports a module of Node, a package or the test double', async () => {
    for (const subpath of SUBPATHS) {
      const { text } = await weigh(`export * from '@purser/client${subpath.slice(1)}'`)
      const imported = [...text.matchAll(/\bimport\b[^;]*?["']([^"']+)["']/g)].map(
        ([, name]) => name!,
      )
      assert.deepEqual(imported, [], subpath)
      assert.ok(!builtinModules.some((name) => text.includes(`"node:${name}"`)), subpath)
      if (subpath !== './testing') assert.ok(!text.includes('createTestPurser'), subpath)
    }
  })
})
