import { setImmediate as nextTurn, setTimeout as wait } from 'node:timers/promises'

const TICK_MS = 100

/**
 * The answer, or undefined if it takes longer than `within_ms` milliseconds of this process's own
 * time; rejects as the answer does. A tenth of a second counts once, however long a busy process
 * took to notice its end, and an answer that arrived before is read first: neither says that the
 * other side is slow.
 */
export async function withTimeout<Answer>(
  answer: Promise<Answer>,
  within_ms: number,
): Promise<Answer | undefined> {
  const stop = new AbortController()
  const timeout = waitProcessTime(within_ms, stop.signal).catch(() => undefined)
  try {
    return await Promise.race([answer, timeout])
  } finally {
    stop.abort()
  }
}

async function waitProcessTime(ms: number, signal: AbortSignal): Promise<undefined> {
  for (let left = ms; left > 0; left -= TICK_MS) {
    await wait(Math.min(TICK_MS, left), undefined, { signal })
    // The first turn reads what arrived, the second lets it be handled.
    await nextTurn()
    await nextTurn()
  }
}
