import type { IncomingMessage } from 'node:http'
import { Problem } from '#platform/problem'

const LEAST_BYTES_A_SECOND = 16 * 1024
const GRACE_SECONDS = 5

/**
 * Reads the body of an upload while it arrives fast enough: each takes a place until it is
 * answered. Throws a Problem, status 408, if fewer than 16 KB a second arrived on average, from the
 * fifth second on.
 */
export async function readInTime<T>(raw: IncomingMessage, read: () => Promise<T>): Promise<T> {
  let [bytes, seconds] = [0, 0]
  const count = (part: Buffer) => {
    bytes += part.length
  }
  let timer: NodeJS.Timeout | undefined
  const tooSlow = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      seconds++
      const isSlow = seconds >= GRACE_SECONDS && bytes < seconds * LEAST_BYTES_A_SECOND
      if (isSlow && !raw.complete) reject(uploadTooSlow())
    }, 1000)
  })
  try {
    const reading = read()
    raw.on('data', count)
    return await Promise.race([reading, tooSlow])
  } finally {
    clearInterval(timer)
    raw.off('data', count)
  }
}

function uploadTooSlow(): Problem {
  const message = 'The file arrived too slowly. Send it again over a faster connection.'
  return new Problem(408, 'invalid_request', message)
}
