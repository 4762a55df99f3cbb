import { setImmediate as nextTurn } from 'node:timers/promises'
import type { Log } from '#platform/log'

interface HeartbeatOptions {
  /** Pings the server; rejects or hangs if it does not answer. */
  ask: () => Promise<unknown>
  every_ms: number
  /** The server counts as silent when it does not answer for so long. */
  within_ms: number
  /** Called when the server falls silent, to end what waits for it. */
  onSilent: () => void
  log: Log
}

const TICK_MS = 100
/** A tick that is later than this says that this process, or its machine, was busy. */
const BUSY_MS = 30

/**
 * Knows within two seconds that a server has stopped answering: it is stalled, or the network
 * swallows everything. Statements have far longer limits, which visitors must not wait for.
 */
export class Heartbeat {
  #options: HeartbeatOptions
  #isSilent = false
  #isClosed = false
  #waiting = new Set<(error: Error) => void>()
  #timer: NodeJS.Timeout | undefined

  constructor(options: HeartbeatOptions) {
    this.#options = options
    this.#askLater()
  }

  /**
   * Sends a request to the server, and rejects like a lost connection if the server is or falls
   * silent.
   */
  async whileAnswering<Answer>(ask: () => Promise<Answer>): Promise<Answer> {
    if (this.#isSilent) throw noAnswerError()
    return await new Promise((resolve, reject) => {
      this.#waiting.add(reject)
      const end = () => this.#waiting.delete(reject)
      ask().then(resolve, reject).finally(end)
    })
  }

  close(): void {
    this.#isClosed = true
    clearTimeout(this.#timer)
  }

  #askLater(): void {
    if (this.#isClosed) return
    this.#timer = setTimeout(() => this.#beat(), this.#options.every_ms)
    this.#timer.unref()
  }

  async #beat(): Promise<void> {
    const answered = this.#options.ask().then(
      () => 'answered' as const,
      () => 'failed' as const,
    )
    const beat = { isOver: false }
    const outcome = await Promise.race([answered, this.#late(beat)])
    beat.isOver = true
    if (this.#isClosed) return
    // An error that comes at once is an answer: statements get one as well.
    if (outcome === 'late') this.#fallSilent()
    if (outcome === 'answered') this.#recover()
    if (outcome === 'late') await answered
    this.#askLater()
  }

  /** Counts only time in which this process was free to read an answer. */
  async #late(beat: { isOver: boolean }): Promise<'late'> {
    let left = this.#options.within_ms
    while (left > 0 && !beat.isOver) {
      const start = performance.now()
      await new Promise((resolve) => setTimeout(resolve, TICK_MS).unref())
      if (performance.now() - start < TICK_MS + BUSY_MS) left -= TICK_MS
      // An answer that arrived during the wait is read first.
      await nextTurn()
      await nextTurn()
    }
    return 'late'
  }

  #fallSilent(): void {
    if (!this.#isSilent) {
      this.#options.log.warn('the database does not answer; requests are refused until it does')
    }
    this.#isSilent = true
    this.#options.onSilent()
    for (const reject of this.#waiting) reject(noAnswerError())
  }

  #recover(): void {
    if (this.#isSilent) this.#options.log.info('the database answers again')
    this.#isSilent = false
  }
}

function noAnswerError(): Error {
  return new Error('Connection terminated: the database does not answer')
}
