import type { IncomingMessage } from 'node:http'
import { REQUEST_SECONDS } from '#platform/http'
import { Problem } from '#platform/problem'

const LEAST_BYTES_A_SECOND = 16 * 1024
const GRACE_SECONDS = 5

/**
 * Reads the body of an upload while it arrives fast enough, as each takes memory until it is
 * answered. Throws a Problem, status 408, if what arrived on average, from the fifth second on, is
 * less than 16 KB a second, or less than half of the pace that brings a body of its size in time.
 */
export async function readInTime<T>(raw: IncomingMessage, read: () => Promise<T>): Promise<T> {
  const in_time = Number(raw.headers['content-length']) / REQUEST_SECONDS
  const least = Math.max(LEAST_BYTES_A_SECOND, in_time / 2)
  let [bytes, seconds] = [0, 0]
  const count = (part: Buffer) => {
    bytes += part.length
  }
  let timer: NodeJS.Timeout | undefined
  const tooSlow = new Promise<never>((_resolve, reject) => {
    timer = setInterval(() => {
      seconds++
      const isSlow = seconds >= GRACE_SECONDS && bytes < seconds * least
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
