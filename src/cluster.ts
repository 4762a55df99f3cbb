import cluster, { type Worker } from 'node:cluster'
import type { Log } from '#platform/log'

/** What a child process sends as soon as it serves. */
export const READY = 'ready'

const STOP_WITHIN_MS = 24_000
const RESTART_AFTER_MS = 1_000
const MAX_PAUSE_MS = 30_000
/** A process that ran this long before it ended did not end because of how it starts. */
const STEADY_AFTER_MS = 60_000

/**
 * Runs child processes that serve the same port, and restarts each that ends, after a pause that
 * doubles while the restarts fail. The first one starts alone: it migrates the database, and an
 * error in the settings is printed once. Resolves with an exit code: after SIGTERM or SIGINT, once
 * every child has stopped, or when the first start fails.
 */
export function superviseProcesses(count: number, log: Log, onReady: () => void): Promise<number> {
  const { promise, resolve } = Promise.withResolvers<number>()
  const children = new Set<Worker>()
  const pauses = new Set<NodeJS.Timeout>()
  let ready = 0
  let wasReady = false
  let isStopping = false
  let exit_code = 0

  const start = (failures: number) => {
    const child = cluster.fork()
    const started = performance.now()
    let isReady = false
    children.add(child)
    child.once('message', (message) => {
      if (message !== READY) return
      isReady = true
      ready++
      log.info({ child: child.process.pid }, 'process started')
      if (wasReady) return
      if (ready === count) {
        wasReady = true
        onReady()
      } else if (ready === 1) for (let more = 1; more < count; more++) start(0)
    })
    child.once('exit', (code, signal) => {
      children.delete(child)
      if (isReady) ready--
      if (isStopping) return stopped(code, signal)
      if (!wasReady) {
        exit_code = code || 1
        return stop()
      }
      const isSteady = performance.now() - started > STEADY_AFTER_MS
      restart(isSteady ? 0 : failures, { code, signal, child: child.process.pid })
    })
  }
  const restart = (failures: number, ended: object) => {
    const pause_ms = Math.min(RESTART_AFTER_MS * 2 ** failures, MAX_PAUSE_MS)
    log.error({ ...ended, pause_ms }, 'a process ended; it is restarted after a pause')
    const pause = setTimeout(() => {
      pauses.delete(pause)
      start(failures + 1)
    }, pause_ms)
    pauses.add(pause)
  }
  const stopped = (code: number | null, signal: string | null) => {
    // A process that is still starting has nothing to finish: the signal ends it.
    if (code !== 0 && signal !== 'SIGTERM') exit_code ||= code ?? 1
    if (children.size === 0) resolve(exit_code)
  }
  const stop = () => {
    if (isStopping) return
    isStopping = true
    for (const pause of pauses) clearTimeout(pause)
    for (const child of children) child.process.kill('SIGTERM')
    setTimeout(() => {
      for (const child of children) child.process.kill('SIGKILL')
    }, STOP_WITHIN_MS).unref()
    if (children.size === 0) resolve(exit_code)
  }
  process.on('SIGTERM', stop)
  process.on('SIGINT', stop)
  start(0)
  return promise
}
