/**
 * Complete checkouts: details, card, confirmation and success page. Prints one line of JSON. Each
 * buyer has their own address and keeps one connection.
 */
import { Agent } from 'node:http'
import { ask, measure } from './generator.ts'

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
    const headers = {
      cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
      'x-forwarded-for': this.#caller,
      ...(form === undefined ? {} : { origin: base.origin }),
    }
    return ask(this.#agent, new URL(path, base), { method, headers, form })
  }
}

await measure(BUYERS_AT_ONCE, seconds, () => new Buyer().buy())
