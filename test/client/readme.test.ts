/** The README of the client: each TypeScript block compiles, and its test blocks pass. */
import assert from 'node:assert/strict'
import { execFileSync } from 'node:child_process'
import { mkdtempSync, readFileSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { after, before, test } from 'node:test'
import type { ErrorCode } from '@purser/client'

const readme = readFileSync('packages/client/README.md', 'utf8')
const blocks = [...readme.matchAll(/^```ts\n(.*?)^```$/gms)].map(([, code]) => code!)

/** What the blocks take from the reader's app, and from each other. */
const APP = `
import type { Client, EntitlementCache, SignIn, SignInTokens as Tokens, Validator } from '@purser/client'
declare global {
  type SignInTokens = Tokens
  const purser: Client
  const licenses: Validator
  const entitlements: EntitlementCache
  const sign_in: SignIn
  const tokens: Tokens
  const svc_order: string
  const session: { license_key: string }
  function sessionOf(request: object): { license_key?: string; access_token?: string }
  function cookieOf(request: Request, name: string): string | undefined
  function startSession(sub: string, tokens: Tokens): Promise<void>
  function askForKey(): void
  function askToWait(seconds: number): void
}
`

let folder: string
before(() => {
  folder = mkdtempSync(join(tmpdir(), 'purser-readme-'))
  symlinkSync(resolve('node_modules'), join(folder, 'node_modules'))
  writeFileSync(join(folder, 'package.json'), '{ "type": "module" }')
  writeFileSync(join(folder, 'app.d.ts'), APP)
})
after(() => rmSync(folder, { recursive: true, force: true }))

/** The compiler's errors over these files. */
function errorsIn(codes: string[]): string {
  const files = codes.map((code, at) => {
    const name = `block-${at + 1}.ts`
    writeFileSync(join(folder, name), `${code}\nexport {}\n`)
    return name
  })
  const compilerOptions = {
    target: 'es2024',
    lib: ['es2024', 'dom', 'dom.iterable'],
    module: 'nodenext',
    strict: true,
    noEmit: true,
    skipLibCheck: true,
    types: ['node'],
  }
  const config = JSON.stringify({ compilerOptions, files: [...files, 'app.d.ts'] })
  writeFileSync(join(folder, 'tsconfig.json'), config)
  const tsc = resolve('node_modules/.bin/tsc')
  try {
    return execFileSync(tsc, ['-p', folder], { encoding: 'utf8', stdio: 'pipe' })
  } catch (error) {
    return (error as { stdout: string }).stdout
  }
}

test('every TypeScript block compiles', () => {
  assert.ok(blocks.length > 12)
  assert.equal(errorsIn(blocks), '')
})

test('a block with an error is found', () => {
  assert.match(errorsIn([...blocks, 'purser.refund()']), /block-\d+\.ts.*refund/)
})

test('the blocks with tests pass', () => {
  const tests = blocks.filter((code) => code.includes("from 'node:test'"))
  assert.ok(tests.length > 0)
  for (const code of tests) {
    const path = join(folder, 'example.test.ts')
    writeFileSync(path, code)
    const { NODE_TEST_CONTEXT: _, ...env } = process.env
    const options = { encoding: 'utf8', stdio: 'pipe', env } as const
    const output = execFileSync(process.execPath, ['--test', path], options)
    assert.match(output, /fail 0/)
  }
})

test('the table of errors names every code', () => {
  const codes: Record<ErrorCode, true> = {
    'Client is not linked to an app': true,
    insufficient_scope: true,
    invalid_client: true,
    invalid_request: true,
    invalid_token: true,
    license_canceled: true,
    not_found: true,
    service_not_enabled: true,
    unknown_key: true,
    unknown_license: true,
    unknown_order: true,
    rate_limited: true,
    unexpected_answer: true,
    unreachable: true,
    invalid_lease: true,
    lease_expired: true,
    access_denied: true,
    invalid_grant: true,
    invalid_id_token: true,
    invalid_response: true,
    issuer_mismatch: true,
    login_expired: true,
    state_mismatch: true,
  }
  const [, table = ''] = readme.split('## Errors')
  const missing = Object.keys(codes).filter((code) => !table.includes(`\`${code}\``))
  assert.deepEqual(missing, [])
})
