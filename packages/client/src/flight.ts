/** What limits the requests of a process: shared calls, and a queue with a fixed width. */

/**
 * Runs the work of a key once at a time: callers that arrive while it runs get the same result. A
 * flight older than `limit_ms` is given up, because some runtimes stop the work of a request whose
 * visitor left, without an error. A result is shared for `kept_ms` more; an error is not.
 */
export function createFlights<Value>(limit_ms: number, kept_ms = 0) {
  const open = new Map<string, { result: Promise<Value>; ends_at: number }>()

  function dropOld(): void {
    for (const [key, { ends_at }] of open) if (ends_at <= Date.now()) open.delete(key)
  }

  return function share(key: string, run: () => Promise<Value>): Promise<Value> {
    const running = open.get(key)
    const left = running ? running.ends_at - Date.now() : 0
    if (running && left > 0) return within(running.result, left, run)
    if (kept_ms > 0) dropOld()
    const flight = { result: run(), ends_at: Date.now() + limit_ms }
    open.set(key, flight)
    const close = () => {
      if (open.get(key) === flight) open.delete(key)
    }
    const keep = () => {
      flight.ends_at = Date.now() + kept_ms
    }
    flight.result.then(kept_ms > 0 ? keep : close, close)
    return flight.result
  }
}

/** The result, or that of `otherwise` if there is none after these milliseconds. */
export function within<Value>(
  result: Promise<Value>,
  milliseconds: number,
  otherwise: () => Promise<Value>,
): Promise<Value> {
  return new Promise((resolve, reject) => {
    const timer = setTimeout(() => otherwise().then(resolve, reject), milliseconds)
    result.then(resolve, reject).finally(() => clearTimeout(timer))
  })
}

/**
 * Runs at most `width` pieces of work at once and the others in order of arrival. Work that waits
 * is dropped when its signal aborts. What runs for longer than `limit_ms` no longer counts.
 */
export function createQueue(width: number, limit_ms: number) {
  const running = new Set<{ ends_at: number }>()
  const waiting: (() => void)[] = []

  function isFull(): boolean {
    for (const each of running) if (each.ends_at <= Date.now()) running.delete(each)
    return running.size >= width
  }

  return async function enqueue<Value>(
    signal: AbortSignal,
    work: () => Promise<Value>,
  ): Promise<Value> {
    while (isFull()) {
      await new Promise<void>((resolve, reject) => {
        const abort = () => {
          waiting.splice(waiting.indexOf(next), 1)
          reject(signal.reason)
        }
        const next = () => {
          signal.removeEventListener('abort', abort)
          resolve()
        }
        if (signal.aborted) return reject(signal.reason)
        signal.addEventListener('abort', abort, { once: true })
        waiting.push(next)
      })
    }
    const place = { ends_at: Date.now() + limit_ms }
    running.add(place)
    try {
      return await work()
    } finally {
      running.delete(place)
      waiting.shift()?.()
    }
  }
}
