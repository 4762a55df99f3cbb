import { createRequire } from 'node:module'
import type { SonicBoom, SonicBoomOpts } from 'sonic-boom'

// Its types declare a default export, which the module does not have.
const Output: new (options: SonicBoomOpts) => SonicBoom = createRequire(import.meta.url)(
  'sonic-boom',
)

// Lines are written together, as each write wakes a thread; the end of the process writes the rest.
const WRITTEN_TOGETHER = { minLength: 8_192, periodicFlush: 100 }
/** Lines that wait for a slow reader, in bytes; more are dropped. */
const MAX_WAITING = 8 * 1024 * 1024
/** A retry takes a tenth of a second. */
const RETRIES_AT_THE_END = 20

let output: SonicBoom | undefined

/**
 * Standard output for log lines. A reader that is gone or has stopped reading never blocks the
 * process: unread lines are dropped, and the process waits at most two seconds for it when it
 * exits.
 */
export function logOutput(): SonicBoom {
  output ??= openOutput()
  return output
}

function openOutput(): SonicBoom {
  let retries_left = Number.POSITIVE_INFINITY
  const stream = new Output({
    // This stream sets the pipe to answer at once when it is full.
    fd: process.stdout.fd,
    sync: false,
    ...WRITTEN_TOGETHER,
    maxLength: MAX_WAITING,
    retryEAGAIN: () => retries_left-- > 0,
  })
  // Without a reader no one could read a report of it.
  stream.on('error', () => {})
  process.once('exit', () => {
    retries_left = RETRIES_AT_THE_END
    try {
      stream.flushSync()
    } catch {
      // The reader is gone.
    }
  })
  return stream
}
