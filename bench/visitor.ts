import { Agent } from 'node:http'
import { type Answer, sendRequest } from './generator.ts'

/** The page on which a visitor ended. */
export interface VisitedPage {
  url: string
  body: string
}

/** A browser without scripts: its own address, cookies, one connection, forms. */
export class Visitor {
  readonly #base: URL
  #agent = new Agent({ keepAlive: true, maxSockets: 1 })
  #cookies = new Map<string, string>()
  #caller = `10.8.${Math.floor(Math.random() * 256)}.${Math.floor(Math.random() * 256)}`

  constructor(base: URL) {
    this.#base = base
  }

  /** Opens a page and follows redirects within the service. Throws for any error. */
  async open(method: string, path: string, form?: URLSearchParams): Promise<VisitedPage> {
    const { status, headers, body } = await this.#ask(method, path, form?.toString())
    for (const cookie of headers['set-cookie'] ?? []) {
      const [pair = ''] = cookie.split(';')
      this.#cookies.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
    }
    if (status >= 300 && status < 400) {
      const next = new URL(String(headers.location), new URL(path, this.#base))
      return await this.open('GET', next.pathname + next.search)
    }
    if (status !== 200)
      throw new Error(`${method} ${path} answered ${status}: ${body.slice(0, 300)}`)
    return { url: path, body }
  }

  /** Sends the first form of a page, with its hidden fields. */
  async send(page: VisitedPage, values: Record<string, string>): Promise<VisitedPage> {
    const form = /<form[^>]*>.*?<\/form>/s.exec(page.body)?.[0] ?? ''
    const action = /action="([^"]*)"/.exec(form)?.[1] || page.url
    const hidden = [...form.matchAll(/<input type="hidden" name="([^"]*)" value="([^"]*)"/g)]
    const fields = Object.fromEntries(hidden.map(([, name, value]) => [name, value]))
    return await this.open('POST', action, new URLSearchParams({ ...fields, ...values }))
  }

  leave(): void {
    this.#agent.destroy()
  }

  #ask(method: string, path: string, form: string | undefined): Promise<Answer> {
    const headers = {
      cookie: [...this.#cookies].map((pair) => pair.join('=')).join('; '),
      'x-forwarded-for': this.#caller,
      ...(form === undefined ? {} : { origin: this.#base.origin }),
    }
    return sendRequest(this.#agent, new URL(path, this.#base), { method, headers, form })
  }
}
