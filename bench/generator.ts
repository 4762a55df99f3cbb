import { type Agent, type IncomingHttpHeaders, type OutgoingHttpHeaders, request } from 'node:http'

/** A complete response. */
export interface Answer {
  status: number
  headers: IncomingHttpHeaders
  body: string
}

/** Sends one request over an agent's connections, with a form or another body if given. */
export function ask(
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

/** Repeats a task with a given concurrency, and prints its rate and durations as JSON. */
export async function measure(
  at_once: number,
  seconds: number,
  task: () => Promise<void>,
): Promise<void> {
  const started = performance.now()
  const until = started + seconds * 1000
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
  const took = (performance.now() - started) / 1000
  times.sort((left, right) => left - right)
  const at = (share: number) => Math.round(times[Math.floor(times.length * share)]! * 10) / 10
  console.log(
    JSON.stringify({ rate: times.length / took, p50_ms: at(0.5), p99_ms: at(0.99), bad: 0 }),
  )
}
