/**
 * Runs everything: types, lint, and the tests, first on the embedded database and then on
 * PostgreSQL wherever a server is found. `npm test -- test/flows` runs the files under a path.
 */
import { execFileSync, spawn } from 'node:child_process'
import { once } from 'node:events'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { findChromium } from './chromium.ts'
import { findPostgres, startPostgres } from './throwaway-postgres.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

// What does not touch the database says nothing new on a second engine.
const ON_EVERY_ENGINE = [
  'test/flows/',
  'test/contract/',
  'test/platform/database',
  'test/sandbox/',
  'test/stripe/',
  'test/simulate/months',
]

/** The counts of one run, as its runner's closing lines tell them. */
interface Counts {
  passed: number
  failed: number
  skipped: number
}

const total: Counts = { passed: 0, failed: 0, skipped: 0 }
const wanted = process.argv.slice(2)
const files = globSync('test/**/*.test.{ts,tsx}')
  .filter((file) => wanted.length === 0 || wanted.some((path) => file.startsWith(path)))
  .sort()

if (wanted.length === 0) {
  step('types', ['tsc', '-p', '.'])
  step('lint', ['biome', 'check', '.'])
}
const env: NodeJS.ProcessEnv = { ...process.env }
delete env.TEST_DATABASE_URL
if (files.some((file) => file.startsWith('test/walks/'))) env.CHROMIUM = findChromium()

await runTests('the embedded database', files, env)

const shared = files.filter((file) => ON_EVERY_ENGINE.some((path) => file.startsWith(path)))
const programs = findPostgres()
const given = process.env.TEST_DATABASE_URL ?? process.env.DATABASE_URL
if (shared.length > 0 && (given || programs)) {
  const server = given ? undefined : await startPostgres(programs!, ['fsync=off'])
  try {
    await runTests('PostgreSQL', shared, { ...env, TEST_DATABASE_URL: given ?? server!.url })
  } finally {
    await server?.stop()
  }
} else if (shared.length > 0) {
  console.log('\nPostgreSQL: not run, as this machine has no server (apt-get install postgresql).')
}

console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
process.exit(total.failed > 0 || process.exitCode ? 1 : 0)

function step(name: string, [program = '', ...words]: string[]): void {
  process.stdout.write(`${name} … `)
  try {
    execFileSync(`${root}node_modules/.bin/${program}`, words, { stdio: 'pipe', encoding: 'utf8' })
    console.log('good')
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    console.log(`not good\n${stdout}${stderr}`)
    process.exitCode = 1
  }
}

async function runTests(where: string, paths: string[], env: NodeJS.ProcessEnv): Promise<void> {
  console.log(`\nTests on ${where}: ${paths.length} files`)
  const words = [
    '--import',
    './scripts/register-tsx.mjs',
    '--test',
    '--test-concurrency=2',
    '--test-timeout=240000',
  ]
  const runner = spawn(process.execPath, [...words, ...paths], {
    env,
    stdio: ['ignore', 'pipe', 'inherit'],
  })
  let tail = ''
  runner.stdout.on('data', (chunk: Buffer) => {
    process.stdout.write(chunk)
    tail += chunk.toString()
  })
  const [code] = await once(runner, 'close')
  const count = (name: string) =>
    Number([...tail.matchAll(new RegExp(`^ℹ ${name} (\\d+)$`, 'gm'))].at(-1)?.[1] ?? 0)
  total.passed += count('pass')
  total.skipped += count('skipped')
  total.failed += count('fail') + count('cancelled')
  if (code !== 0) process.exitCode = 1
}
