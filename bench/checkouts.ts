/**
 * Whole checkouts, every page of them: details, card, confirmation, success. Prints one line of
 * JSON. Each buyer has an address of his own and keeps one connection.
 */
import { Agent, request } from 'node:http'

const base = new URL(process.env.BASE_URL!)
const price_id = process.env.PRICE_ID!
const seconds = Number(process.env.SECONDS)
const BUYERS_AT_ONCE = 16

interface Page {
  url: string
  body: string
}

class Buyer {
  #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #cookies = new Map<string, string>()
  #caller = `10.8.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`

  async buy(): Promise<void> {
    const email = `${Math.random().toString(36).slice(2)}@bench.example`
    const details = await this.#open('GET', `/buy/${price_id}/`)
    const card = await this.#send(details, { email, country: 'US', zip: '78701' })
    const confirm = await this.#send(card, {
      number: '4242424242424242',
      expiry: '12/40',
      cvc: '123',
      zip: '78701',
    })
    const success = await this.#send(confirm, {})
    if (!success.body.includes('key_')) throw new Error(`no key on ${success.url}`)
    this.#agent.destroy()
  }

  async #send(page: Page, values: Record<string, string>): Promise<Page> {
    const form = /<form[^>]*>.*?<\/form>/s.exec(page.body)?.[0] ?? ''
    const action = /action="([^"]*)"/.exec(form)?.[1] || page.url
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
    return await this.#open('POST', action, new URLSearchParams({ ...fields, ...values }))
  }

  async #open(method: string, path: string, form?: URLSearchParams): Promise<Page> {
    const { status, headers, body } = await this.#ask(method, path, form?.toString())
    for (const cookie of headers['set-cookie'] ?? []) {
      const [pair = ''] = cookie.split(';')
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    if (status >= 300 && status < 400) {
      const next = new URL(String(headers.location), new URL(path, base))
      return await this.#open('GET', next.pathname + next.search)
    }
    if (status !== 200)
      throw new Error(`${method} ${path} answered ${status}: ${body.slice(0, 300)}`)
    return { url: path, body }
  }

  #ask(method: string, path: string, form: string | undefined) {
    return new Promise<{
      status: number
      headers: NodeJS.Dict<string | string[]> & { 'set-cookie'?: string[] }
      body: string
    }>((resolve, reject) => {
      const call = request(
        {
          agent: this.#agent,
          hostname: base.hostname,
          port: base.port,
          method,
          path,
          headers: {
            cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
            'x-forwarded-for': this.#caller,
            ...(form === undefined
              ? {}
              : {
                  'content-type': 'application/x-www-form-urlencoded',
                  'content-length': Buffer.byteLength(form),
                  origin: base.origin,
                }),
          },
        },
        (answer) => {
          let body = ''
          answer.setEncoding('utf8')
          answer.on('data', (chunk: string) => {
            body += chunk
          })
          answer.on('end', () =>
            resolve({ status: answer.statusCode!, headers: answer.headers, body }),
          )
        },
      )
      call.on('error', reject)
      call.end(form)
    })
  }
}

const started = performance.now()
const until = started + seconds * 1000
const times: number[] = []
await Promise.all(
  Array.from({ length: BUYERS_AT_ONCE }, async () => {
    while (performance.now() < until) {
      const before = performance.now()
      await new Buyer().buy()
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
