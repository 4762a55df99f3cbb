/**
 * Runs types, lint and tests: on PostgreSQL where its programs or a server are found, and a few on
 * the embedded database too; without PostgreSQL all of them run on the embedded database.
 *
 *     npm test                         what an engineer waits for: 'quick' in test/levels.ts
 *     npm test -- test/flows           the files under a path
 *     npm test -- --grep 'past due'    the tests whose titles contain these words
 *     npm test -- --watch test/flows   the same again after each change
 *     npm run test:ci                  what a change must pass before it lands
 *     npm run test:all                 everything on both engines, with the large budgets
 */
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { promisify } from 'node:util'
import { counted } from '#platform/text'
import { findChromium } from './chromium.ts'
import { nextChange } from './next-change.ts'
import { readArguments } from './read-arguments.ts'
import { type Level, runsIn, runsOnBothEngines } from './test/levels.ts'
import { type Counts, type Failure, runPass } from './test/pass.ts'
import { findPostgres, memoryFolder, startPostgres } from './throwaway-postgres.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

/** Tests need no durability when the machine stops. */
const FAST = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']

/** The inputs of tests: `--watch` runs again after a change in them. */
const WATCHED = ['src', 'test', 'migrations', 'packages', 'examples', 'scripts']

/** Long files first, so that no worker ends alone with one. */
const LONGEST_FIRST = ['test/simulate/', 'test/browser/', 'test/process/', 'test/contract/']

const USAGE = `Usage: npm test [-- PATH...], npm run test:ci, or npm run test:all

Runs types, lint and tests, or the tests under the paths.

  --grep 'past due'   the tests whose titles contain these words
  --watch             the same again after each change
  --ci, --all         the levels of test:ci and test:all`

const { values: options, positionals: paths } = readArguments(USAGE, {
  has_arguments: true,
  options: {
    ci: { type: 'boolean', default: false },
    all: { type: 'boolean', default: false },
    grep: { type: 'string' },
    watch: { type: 'boolean', default: false },
  },
})
const level: Level = options.all ? 'all' : options.ci ? 'ci' : 'quick'
const isWhole = paths.length === 0 && options.grep === undefined

if (options.watch) await runAfterEachChange()
else process.exit((await runOnce()) ? 0 : 1)

/** Runs the requested tests; returns whether everything passed. */
async function runOnce(): Promise<boolean> {
  const checks = isWhole
    ? [check('types', 'tsc', '-p', '.'), check('lint', 'biome', 'check', '.')]
    : []
  const total: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] }
  for await (const counts of passes()) {
    total.passed += counts.passed
    total.failed += counts.failed
    total.skipped += counts.skipped
    total.failures.push(...counts.failures)
  }
  const areGood = await Promise.all(checks)
  if (isWhole && total.failed > 0) console.log(recapOf(total.failures))
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
  if (options.grep !== undefined && total.passed + total.failed + total.skipped === 0) {
    console.log(`No test has these words in its title: ${options.grep}`)
  }
  return total.failed === 0 && total.passed > 0 && areGood.every(Boolean) && !process.exitCode
}

/**
 * What failed once more: the end of a long log is what people read, and what is kept of one that is
 * cut off. An error can quote a whole page, so each is shortened, and the titles come last.
 */
function recapOf(failures: readonly Failure[]): string {
  const errors = failures.map(({ title, error = '' }) => `${title}\n${shortened(error)}`)
  return ['', ...errors, '', 'What failed:', ...failures.map(({ title }) => title)].join('\n')
}

function shortened(error: string): string {
  return error.length > 3000 ? `${error.slice(0, 1500)}\n…\n${error.slice(-1500)}` : error
}

/** Runs a tool of the project beside the tests; prints its output only if it fails. */
async function check(name: string, program: string, ...args: string[]): Promise<boolean> {
  try {
    await promisify(execFile)(`${root}node_modules/.bin/${program}`, args, { maxBuffer: 16e6 })
    console.log(`${name} … good`)
    return true
  } catch (error) {
    const { stdout, stderr } = error as { stdout: string; stderr: string }
    console.log(`${name} … not good\n${stdout}${stderr}`)
    return false
  }
}

/** One pass per engine, with its counts. */
async function* passes(): AsyncGenerator<Counts> {
  const files = wantedFiles()
  // What Node.js compiled is kept for the workers' next run. A service must not: see decision 83.
  const env: NodeJS.ProcessEnv = {
    ...process.env,
    NODE_COMPILE_CACHE: fileURLToPath(new URL('../.build/compile-cache', import.meta.url)),
  }
  delete env.TEST_DATABASE_URL
  if (options.all) env.TEST_BUDGET = 'large'
  if (files.some((file) => file.startsWith('test/browser/'))) env.CHROMIUM = findChromium()

  const given = process.env.TEST_DATABASE_URL || process.env.DATABASE_URL || undefined
  const programs = given ? undefined : findPostgres()
  if (!given && !programs) {
    console.log(
      '\nNo PostgreSQL here (apt-get install postgresql): all tests use the embedded database.',
    )
    yield await runOn('the embedded database', files, env)
    return
  }
  // Each test service copies a database of 300 files, which costs several times more on a disk.
  const server =
    programs === undefined ? undefined : await startPostgres(programs, FAST, memoryFolder())
  try {
    yield await runOn('PostgreSQL', files, { ...env, TEST_DATABASE_URL: given ?? server!.url })
  } finally {
    await server?.stop()
  }
  const again = files.filter((file) => runsOnBothEngines(level, file))
  if (again.length === 0) return
  yield await runOn('the embedded database', again, { ...env, TEST_ENGINE: 'second' })
}

async function runOn(where: string, files: string[], env: NodeJS.ProcessEnv): Promise<Counts> {
  console.log(`\nTests on ${where}: ${counted(files.length, 'file')}`)
  return await runPass({ files, env, grep: options.grep })
}

function wantedFiles(): string[] {
  const rank = (file: string) => {
    const at = LONGEST_FIRST.findIndex((start) => file.startsWith(start))
    return at === -1 ? LONGEST_FIRST.length : at
  }
  return globSync('test/**/*.test.{ts,tsx}')
    .filter((file) => paths.length === 0 || paths.some((path) => file.startsWith(path)))
    .filter((file) => !isWhole || runsIn(level, file))
    .sort((a, b) => rank(a) - rank(b) || (a < b ? -1 : 1))
}

/** Runs immediately, and again after each change. */
async function runAfterEachChange(): Promise<never> {
  for (;;) {
    // Watched from before the run, so that a change during it is noticed.
    const change = nextChange(WATCHED)
    await runOnce()
    console.log('\nWaiting for a change. Ctrl-C ends.')
    await change
  }
}
