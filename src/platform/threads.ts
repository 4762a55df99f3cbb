import { Worker, type WorkerOptions } from 'node:worker_threads'

/** A thread's heap for new objects. By default it grows to 100 MB before the first collection. */
const YOUNG_MB = 8
const IDLE_MS = 30_000

/** Starts a thread that does not keep the process running. */
export function startThread(file: URL, options: WorkerOptions = {}): Worker {
  const resourceLimits = { maxYoungGenerationSizeMb: YOUNG_MB }
  const thread = new Worker(file, { ...options, resourceLimits })
  thread.unref()
  return thread
}

/**
 * Ends a thread once it has been idle for half a minute, which frees its memory; `onEnd` forgets
 * it. Returns a function that keeps it, for when there is work again.
 */
export function endWhenIdle(thread: Worker, onEnd: () => void): () => void {
  const timer = setTimeout(() => {
    onEnd()
    void thread.terminate()
  }, IDLE_MS)
  timer.unref()
  return () => clearTimeout(timer)
}
