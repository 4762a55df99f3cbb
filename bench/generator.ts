import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

/** A complete response. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Sends one request over an agent's connections, with a form or another body if given. */
export function sendRequest(
  agent: Agent,
  url: URL,
  call: { method: string; headers: OutgoingHttpHeaders; form?: string | undefined; body?: string },
): Promise<Answer> {
  const { method, form } = call
  const headers =
    form === undefined
      ? call.headers
      : {
          ...call.headers,
          'content-type': 'application/x-www-form-urlencoded',
          'content-length': Buffer.byteLength(form),
        }
  return new Promise((resolve, reject) => {
    const sent = request(url, { agent, method, headers }, (answer) => {
      let body = ''
      answer.setEncoding('utf8')
      answer.on('data', (chunk: string) => {
        body += chunk
      })
      answer.on('end', () => resolve({ status: answer.statusCode!, headers: answer.headers, body }))
    })
    sent.on('error', reject)
    sent.end(form ?? call.body)
  })
}

/** V8 compiles this process while it runs: until then it takes time from what it measures. */
const WARM_UP_SECONDS = 3

/**
 * Repeats a task with a given concurrency, and prints its rate and durations as JSON, once this
 * process is warm; `completed` counts the tasks of its warm-up, too.
 */
export async function measure(
  at_once: number,
  seconds: number,
  task: () => Promise<void>,
): Promise<void> {
  const warm_up = await repeat(at_once, WARM_UP_SECONDS, task)
  const started = performance.now()
  const times = await repeat(at_once, seconds, task)
  const took = (performance.now() - started) / 1000
  times.sort((left, right) => left - right)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]! * 10) / 10
  const completed = warm_up.length + times.length
  const rate = times.length / took
  console.log(JSON.stringify({ rate, p50_ms: at(0.5), p99_ms: at(0.99), bad: 0, completed }))
}

/** Repeats a task for so many seconds. Returns how many milliseconds each took. */
async function repeat(
  at_once: number,
  seconds: number,
  task: () => Promise<void>,
): Promise<number[]> {
  const until = performance.now() + seconds * 1000
  const times: number[] = []
  await Promise.all(
    Array.from({ length: at_once }, async () => {
      while (performance.now() < until) {
        const before = performance.now()
        await task()
        times.push(performance.now() - before)
      }
    }),
  )
  return times
}
