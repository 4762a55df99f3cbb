/**
 * Runs types, lint and tests: on PostgreSQL where its programs or a server are found, and a few on
 * the embedded database too; without PostgreSQL all of them run on the embedded database.
 *
 *     npm test                         everything, with the small budgets of test/support/budget.ts
 *     npm test -- test/flows           the files under a path
 *     npm test -- --grep 'past due'    the tests whose titles contain these words
 *     npm test -- --watch test/flows   the same again after each change
 *     npm run test:all                 everything on both engines, with the large budgets
 */
import { execFile } from 'node:child_process'
import { globSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { parseArgs, promisify } from 'node:util'
import { counted } from '#platform/text'
import { findChromium } from './chromium.ts'
import { nextChange } from './next-change.ts'
import { type Counts, runPass } from './test/pass.ts'
import { findPostgres, memoryFolder, startPostgres } from './throwaway-postgres.ts'

const root = fileURLToPath(new URL('..', import.meta.url))
process.chdir(root)

/** Runs on both engines every time: one path through everything that the engines do differently. */
const ON_BOTH_ENGINES = [
  'test/faults/',
  'test/platform/database',
  'test/flows/checkout.test',
  'test/flows/proven-months.test',
  'test/contract/license-keys.test',
]

/**
 * Tests in a browser, or with several processes, whose rules the flow and contract tests check
 * within one process, and those of commands that start processes. They run in `test:all`, and when
 * named.
 */
const ONLY_IN_ALL = [
  'test/faults/process.test.ts',
  'test/flows/job-queue.test.ts',
  'test/platform/backup.test.ts',
  'test/platform/schedules.test.ts',
  'test/process/agents.test.ts',
  'test/process/backup.test.ts',
  'test/process/caddy.test.ts',
  'test/process/cli-listing.test.ts',
  'test/process/cli.test.ts',
  'test/process/client-runtimes.test.ts',
  'test/process/command-options.test.ts',
  'test/process/doctor.test.ts',
  'test/process/each-mode.test.ts',
  'test/process/generated-clients.test.ts',
  'test/process/image.test.ts',
  'test/process/kill.test.ts',
  'test/process/ledger-check.test.ts',
  'test/process/no-database.test.ts',
  'test/process/nodes.test.ts',
  'test/process/outages.test.ts',
  'test/process/postgres-backups.test.ts',
  'test/process/postgres-roles.test.ts',
  'test/process/prometheus.test.ts',
  'test/process/quick-start.test.ts',
  'test/process/sign-in-pages.test.ts',
  'test/process/staff-add.test.ts',
  'test/process/start.test.ts',
  'test/process/starters.test.ts',
  'test/stripe/restored.test.ts',
  'test/browser/account.test.ts',
  'test/browser/agent.test.ts',
  'test/browser/components.test.ts',
  'test/browser/docs.test.ts',
  'test/browser/driftlog.test.ts',
  'test/browser/emails.test.ts',
  'test/browser/first-seller.test.ts',
  'test/browser/hosted-sign-in.test.ts',
  'test/browser/keyboard.test.ts',
  'test/browser/languages.test.ts',
  'test/browser/listing.test.ts',
  'test/browser/manage.test.ts',
  'test/browser/mistakes.test.ts',
  'test/browser/payouts.test.ts',
  'test/browser/redirects.test.ts',
  'test/browser/referral.test.ts',
  'test/browser/refund.test.ts',
  'test/browser/security.test.ts',
  'test/browser/seller.test.ts',
  'test/browser/sign-in.test.ts',
  'test/browser/test-clock.test.ts',
  'test/browser/test-mode.test.ts',
]

/** Everything that uses the database: `test:all` runs it on both engines. */
const ON_THE_DATABASE = [
  'test/flows/',
  'test/contract/',
  'test/faults/',
  'test/platform/database',
  'test/sandbox/',
  'test/stripe/',
  'test/simulate/months',
]

/** Tests need no durability when the machine stops. */
const FAST = ['fsync=off', 'full_page_writes=off', 'synchronous_commit=off']

/** The inputs of tests: `--watch` runs again after a change in them. */
const WATCHED = ['src', 'test', 'migrations', 'packages', 'examples', 'scripts']

/** Long files first, so that no worker ends alone with one. */
const LONGEST_FIRST = ['test/simulate/', 'test/browser/', 'test/process/', 'test/contract/']

const { values: options, positionals: paths } = parseArgs({
  allowPositionals: true,
  options: {
    all: { type: 'boolean', default: false },
    grep: { type: 'string' },
    watch: { type: 'boolean', default: false },
  },
})
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
  // Again: the end of a long log is what people read, and what is kept of one that is cut off.
  if (isWhole && total.failed > 0) console.log(`\nWhat failed:\n${total.failures.join('\n')}`)
  console.log(`\n${total.passed} passed, ${total.failed} failed, ${total.skipped} skipped`)
  if (options.grep !== undefined && total.passed + total.failed + total.skipped === 0) {
    console.log(`No test has these words in its title: ${options.grep}`)
  }
  return total.failed === 0 && total.passed > 0 && areGood.every(Boolean) && !process.exitCode
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
  const both = options.all ? ON_THE_DATABASE : ON_BOTH_ENGINES
  const again = files.filter((file) => both.some((start) => file.startsWith(start)))
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
    .filter((file) => options.all || !isWhole || !ONLY_IN_ALL.includes(file))
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
