/**
 * Estimates how hard a password is to guess, in a separate thread: a text chosen to be slow takes a
 * third of a second, during which the service would answer no request.
 */
import { parentPort, type Worker, workerData } from 'node:worker_threads'
import { Problem } from '#platform/problem'
import { endWhenIdle, startThread } from '#platform/threads'

/** A password, and the words that its owner's name suggests. */
interface EstimateRequest {
  id: number
  password: string
  own: string[]
}

interface Estimate {
  id: number
  score: number
}

// Later characters do not make guessing easier, and the time grows faster than the length.
const ESTIMATED = 32
const MAX_WAITING = 50
const BUSY_SECONDS = 10
const ROLE = 'password strength'

let worker: Worker | undefined
let keepWorker = () => {}
let last = 0
const waiting = new Map<number, PromiseWithResolvers<number>>()

/**
 * The strength of a password on the scale of 0 to 4; throws a Problem (503) while too many wait.
 */
export async function estimateStrength(password: string, own: string[]): Promise<number> {
  if (waiting.size >= MAX_WAITING) {
    const message = `Too many requests. Try again in ${BUSY_SECONDS} seconds.`
    throw new Problem(503, 'busy', message, { retry_after: BUSY_SECONDS })
  }
  keepWorker()
  worker ??= startWorker()
  const pending = Promise.withResolvers<number>()
  const request: EstimateRequest = { id: ++last, password: password.slice(0, ESTIMATED), own }
  waiting.set(request.id, pending)
  // The thread keeps the process running only while a request waits for it.
  worker.ref()
  worker.postMessage(request)
  return await pending.promise
}

function startWorker(): Worker {
  const started = startThread(new URL(import.meta.url), { workerData: ROLE })
  const forget = () => {
    if (worker === started) worker = undefined
  }
  started.on('message', ({ id, score }: Estimate) => {
    waiting.get(id)?.resolve(score)
    waiting.delete(id)
    if (waiting.size > 0) return
    started.unref()
    keepWorker = endWhenIdle(started, forget)
  })
  started.on('error', (error) => {
    forget()
    for (const pending of waiting.values()) pending.reject(error)
    waiting.clear()
  })
  return started
}

async function answerQuestions(): Promise<void> {
  const [{ ZxcvbnFactory }, { adjacencyGraphs, dictionary }] = await Promise.all([
    import('@zxcvbn-ts/core'),
    import('@zxcvbn-ts/language-common'),
  ])
  const estimator = new ZxcvbnFactory({ dictionary, graphs: adjacencyGraphs })
  parentPort!.on('message', ({ id, password, own }: EstimateRequest) => {
    const { score } = estimator.check(password, own)
    parentPort!.postMessage({ id, score } satisfies Estimate)
  })
}

if (workerData === ROLE) await answerQuestions()
