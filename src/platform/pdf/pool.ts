import type { Worker } from 'node:worker_threads'
import { Problem } from '#platform/problem'
import { endWhenIdle, startThread } from '#platform/threads'
import type { PdfContent } from './content.ts'

/** The request to a worker, and its response. */
export type PdfRequest =
  | { kind: 'whole'; content: PdfContent }
  | { kind: 'begin'; content: PdfContent }
  | { kind: 'rows'; rows: string[][] }
  | { kind: 'end' }
export type PdfAnswer =
  | { kind: 'more' }
  | { kind: 'done'; pdf: Uint8Array }
  | { kind: 'failed'; message: string }

/** Draws documents in worker threads. */
export interface PdfPool {
  /** Draws a document; its table continues with `more`. Throws a Problem (503) if too many wait. */
  draw(content: PdfContent, more?: MoreRows): Promise<Buffer>
  /** Finishes running documents, refuses those that wait, and ends the threads. */
  close(): Promise<void>
}

/** Rows of a table in parts, each created when the one before was drawn. */
export interface MoreRows {
  rows: Iterable<string[][]> | AsyncIterable<string[][]>
  /** Long documents are drawn in a thread of their own, so that short ones do not wait for them. */
  is_long: boolean
}

/** No more rows than its content has: the whole document is one request to a worker. */
const NO_MORE: MoreRows = { rows: [], is_long: false }
const LIMITS = { waiting: 32, seconds: 120 }
const RETRY_SECONDS = 5
const WORKER = new URL('./worker.ts', import.meta.url)

interface Job extends MoreRows {
  content: PdfContent
  resolve(pdf: Buffer): void
  reject(error: Error): void
}

/**
 * Opens a pool of one thread for short documents and one for long ones: one draws hundreds of
 * receipts a second, and each takes 45 MB. They start when there are documents, end when there have
 * been none for a while, and do not keep the process running.
 */
export function openPdfPool(choice: Partial<typeof LIMITS> = {}): PdfPool {
  const limits = { ...LIMITS, ...choice }
  const waiting: Job[] = []
  // Each with how to keep it, as it is ended when it stays idle.
  const idle = new Map<Worker, () => void>()
  const inHand = new Map<Worker, Job>()
  const ended = new Set<Promise<void>>()

  const mayBegin = ({ is_long }: Job) =>
    [...inHand.values()].every((other) => other.is_long !== is_long)

  const takeNext = () => {
    const at = waiting.findIndex(mayBegin)
    return at === -1 ? undefined : waiting.splice(at, 1)[0]
  }

  const startNext = () => {
    for (let job = takeNext(); job; job = takeNext()) {
      const worker = takeIdle() ?? startThread(WORKER)
      inHand.set(worker, job)
      const work = finish(worker, job).finally(() => {
        ended.delete(work)
        startNext()
      })
      ended.add(work)
    }
  }

  const takeIdle = () => {
    const [worker, keep] = [...idle].at(-1) ?? []
    if (!worker || !keep) return undefined
    keep()
    idle.delete(worker)
    return worker
  }

  const finish = async (worker: Worker, { resolve, reject, ...job }: Job) => {
    try {
      resolve(await drawIn(worker, job, limits.seconds))
      const keep = endWhenIdle(worker, () => idle.delete(worker))
      idle.set(worker, keep)
    } catch (error) {
      reject(error as Error)
      await worker.terminate()
    }
    inHand.delete(worker)
  }

  return {
    async draw(content, more) {
      if (waiting.length >= limits.waiting) throw tooMany()
      return await new Promise((resolve, reject) => {
        waiting.push({ content, ...(more ?? NO_MORE), resolve, reject })
        startNext()
      })
    },
    async close() {
      for (const { reject } of waiting.splice(0)) reject(tooMany())
      await Promise.all(ended)
      for (let worker = takeIdle(); worker; worker = takeIdle()) await worker.terminate()
    },
  }
}

/** The same pool for test mode: every document says so on each page. */
export function markPdfs(pool: PdfPool, mark: string): PdfPool {
  return {
    ...pool,
    draw: (content, more) => pool.draw({ ...content, mark: content.test_mark ?? mark }, more),
  }
}

function tooMany(): Problem {
  const message = 'Too many documents are being made right now. Try again in a few seconds.'
  return new Problem(503, 'service_unavailable', message, { retry_after: RETRY_SECONDS })
}

/** Sends a document to a worker, part by part, and waits for its bytes. */
async function drawIn(
  worker: Worker,
  job: Pick<Job, 'content' | 'rows'>,
  seconds: number,
): Promise<Buffer> {
  worker.ref()
  try {
    const { content } = job
    const isWhole = job.rows === NO_MORE.rows
    if (!isWhole) await ask(worker, { kind: 'begin', content }, seconds)
    for await (const rows of job.rows) await ask(worker, { kind: 'rows', rows }, seconds)
    const last = isWhole ? ({ kind: 'whole', content } as const) : ({ kind: 'end' } as const)
    const answer = await ask(worker, last, seconds)
    if (answer.kind !== 'done') throw new Error('the worker ended without a document')
    return Buffer.from(answer.pdf.buffer)
  } finally {
    worker.unref()
  }
}

async function ask(worker: Worker, request: PdfRequest, seconds: number): Promise<PdfAnswer> {
  const { promise, resolve, reject } = Promise.withResolvers<PdfAnswer>()
  const onExit = (code: number) => reject(new Error(`the worker stopped with code ${code}`))
  const late = () => reject(new Error(`a document was not drawn in ${seconds} seconds`))
  const timer = setTimeout(late, seconds * 1000)
  worker.once('message', resolve).once('error', reject).once('exit', onExit)
  try {
    worker.postMessage(request)
    const answer = await promise
    if (answer.kind === 'failed') throw new Error(answer.message)
    return answer
  } finally {
    clearTimeout(timer)
    worker.off('message', resolve).off('error', reject).off('exit', onExit)
  }
}
