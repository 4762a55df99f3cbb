import { type ChildProcess, fork } from 'node:child_process'
import { once } from 'node:events'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import type { FromWorker, Result, ToWorker } from './protocol.ts'

/** One run of test files on one database engine. */
export interface Pass {
  files: readonly string[]
  env: NodeJS.ProcessEnv
  /** Runs only the tests whose titles contain these words. */
  grep: string | undefined
}

/** The number of tests of a pass by result, and what was printed of those that failed. */
export interface Counts {
  passed: number
  failed: number
  skipped: number
  failures: Failure[]
}

export interface Failure {
  title: string
  error?: string | undefined
}

const WORKER = fileURLToPath(new URL('worker.ts', import.meta.url))
const REPORTER = new URL('reporter.ts', import.meta.url).href
/** One more than there are cores, as some tests wait for a timer or for another process. */
const WORKERS = Math.min(4, availableParallelism() + 1)
/** Only for a test that never ends: a busy machine needs several times as long as a quiet one. */
const TEST_TIMEOUT_MS = 600_000
const END_TIMEOUT_MS = 60_000

/**
 * Runs the files of a pass in long-lived workers, each of which takes the next file when one has
 * ended, and prints each file with its failures.
 */
export async function runPass(pass: Pass): Promise<Counts> {
  const counts: Counts = { passed: 0, failed: 0, skipped: 0, failures: [] }
  const queue = [...pass.files]
  const workers = Array.from({ length: Math.min(WORKERS, queue.length) }, async () => {
    while (queue.length > 0) await runWorker(pass, queue, counts)
  })
  await Promise.all(workers)
  return counts
}

async function runWorker(pass: Pass, queue: string[], counts: Counts): Promise<void> {
  const worker = startWorker(pass)
  let file: string | undefined
  let log: string[] = []
  let taken = 0
  const giveNext = () => {
    file = taken++ < filesOfWorker(pass) ? queue.shift() : undefined
    log = []
    const is_last = taken === filesOfWorker(pass)
    // A worker that has exited gets nothing; its exit says what that means.
    worker.send((file === undefined ? 'end' : { file, is_last }) satisfies ToWorker, () => {})
    if (file === undefined) endInTime(worker)
  }
  worker.on('message', (message: FromWorker) => {
    if (message === 'ready') return giveNext()
    const lines = linesOf(message, pass.grep)
    if (message.counts || message.path.length === 1) log.push(...lines)
    if (message.counts) counts[message.outcome]++
    if (message.counts && message.outcome === 'failed') {
      counts.failures.push({ title: lines[0]!, error: lines[1] })
    }
    if (message.path.length > 1) return
    if (log.length > 0) console.log(log.join('\n'))
    giveNext()
  })
  const [code, signal] = await once(worker, 'exit')
  const how = signal ?? `exit code ${code}`
  if (taken === 0) throw new Error(`A test worker did not start (${how}).`)
  const hasNoMatch = pass.grep !== undefined && code === 0
  // A worker that exits early fails the file that it was running.
  if (file !== undefined && !hasNoMatch) {
    const line = `✖ ${file}: the worker ended in it (${how})`
    counts.failed++
    counts.failures.push({ title: line })
    console.log(line)
  }
}

/** Node's runner starts no second file after one in which it skipped tests by name. */
function filesOfWorker({ grep }: Pass): number {
  return grep === undefined ? Number.POSITIVE_INFINITY : 1
}

function startWorker({ env, grep }: Pass): ChildProcess {
  const pattern = grep?.replace(/[.*+?^${}()|[\]\\/]/g, '\\$&')
  return fork(WORKER, [], {
    env,
    execArgv: [
      ...['--import', './scripts/register-tsx.mjs', '--test-reporter', REPORTER],
      `--test-timeout=${TEST_TIMEOUT_MS}`,
      ...(pattern ? [`--test-name-pattern=/${pattern}/i`] : []),
    ],
    stdio: ['ignore', 'inherit', 'inherit', 'ipc'],
  })
}

/**
 * A worker that has ended all its files has nothing to wait for; what they left open is reported.
 */
function endInTime(worker: ChildProcess): void {
  const timer = setTimeout(() => {
    console.log('A worker did not exit: some test left a handle open.')
    worker.kill('SIGKILL')
    process.exitCode = 1
  }, END_TIMEOUT_MS)
  worker.once('exit', () => clearTimeout(timer))
}

function linesOf({ path, outcome, duration_ms, error }: Result, grep?: string): string[] {
  const seconds = `${(duration_ms / 1000).toFixed(1)} s`
  if (outcome === 'failed') {
    const title = path.join(' › ')
    return error === undefined ? [`✖ ${title} (${seconds})`] : [`✖ ${title} (${seconds})`, error]
  }
  if (path.length === 1) return grep === undefined ? [`✔ ${path[0]} (${seconds})`] : []
  return grep === undefined ? [] : [`✔ ${path.join(' › ')} (${seconds})`]
}
