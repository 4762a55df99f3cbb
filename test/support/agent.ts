import type { FastifyInstance } from 'fastify'
import { eventually } from './eventually.ts'

/** A response as a browser without scripts shows it. */
export interface Seen {
  status: number
  /** The path and query where it ended, or the full address outside of the service. */
  url: string
  body: string
  headers: Record<string, string | string[] | number | undefined>
}

/**
 * A browser without scripts on `app.inject`: it keeps cookies, follows redirects and immediate
 * refreshes inside the service, fills forms with their hidden fields, and submits them from the
 * current page.
 */
export class Agent {
  readonly cookies: Map<string, string>
  page: Seen = { status: 0, url: '/', body: '', headers: {} }
  #app: FastifyInstance
  #base_url: string
  #address: string

  /** A browser at a network address, with an empty cookie jar unless one is given. */
  constructor(
    app: FastifyInstance,
    base_url: string,
    facts: { address?: string; cookies?: Map<string, string> } = {},
  ) {
    this.#app = app
    this.#base_url = base_url
    this.#address = facts.address ?? '127.0.0.1'
    this.cookies = facts.cookies ?? new Map()
  }

  /** A second tab of the same browser, on the same page, optionally on another network. */
  tab(address = this.#address): Agent {
    const facts = { address, cookies: this.cookies }
    const tab = new Agent(this.#app, this.#base_url, facts)
    tab.page = this.page
    return tab
  }

  /** A second tab of the same browser, with this page. */
  async openTab(path: string): Promise<Agent> {
    const tab = this.tab()
    await tab.open(path)
    return tab
  }

  /** A copy of the browser in its current state; both are independent from then on. */
  twin(): Agent {
    const facts = { address: this.#address, cookies: new Map(this.cookies) }
    const twin = new Agent(this.#app, this.#base_url, facts)
    twin.page = this.page
    return twin
  }

  /** The `Cookie` header that this browser sends. */
  get cookie(): string {
    return [...this.cookies].map((pair) => pair.join('=')).join('; ')
  }

  /** The text of the page. */
  get text(): string {
    return textOf(this.page.body)
  }

  /** The fields of the page's form that has a button with this text. */
  form(button: string | RegExp): Record<string, string> {
    return formWith(this.page.body, button).fields
  }

  /** Opens an address and follows redirects to a page, or to an address of another site. */
  async open(address: string): Promise<Seen> {
    return await this.#follow('GET', new URL(address, this.#base_url).href)
  }

  /** Follows the page's link with this text. */
  async press(label: string): Promise<Seen> {
    const links = [...this.page.body.matchAll(LINK)]
    const link = links.find(([, , text]) => textOf(text ?? '') === label)
    if (!link) throw new Error(`this page has no link "${label}":\n${textOf(this.page.body)}`)
    return await this.#follow('GET', attribute(link[1] ?? '', 'href') ?? '')
  }

  /**
   * Fills in and submits the page's form that has a button with this text. Fields that are not
   * given keep their values from the page.
   */
  async submit(button: string | RegExp, fields: Record<string, string> = {}): Promise<Seen> {
    const form = formWith(this.page.body, button)
    const values = { ...form.fields, ...fields }
    return await this.#follow('POST', form.action || this.page.url, new URLSearchParams(values))
  }

  /** Like `submit`, for a form with a file; `file` is the content of its field `file`. */
  async upload(button: string, file: Buffer, fields: Record<string, string> = {}): Promise<Seen> {
    const form = formWith(this.page.body, button)
    const data = new FormData()
    for (const [name, value] of Object.entries({ ...form.fields, ...fields })) {
      if (name !== 'file') data.set(name, value)
    }
    data.set('file', new Blob([new Uint8Array(file)], { type: 'image/png' }), 'picture.png')
    return await this.#follow('POST', form.action || this.page.url, data)
  }

  /** Like `submit`, for a form that starts a task: waits until the task has ended. */
  async runTask(button: string | RegExp, fields: Record<string, string> = {}): Promise<Seen> {
    await this.submit(button, fields)
    return await this.untilDone()
  }

  /** Reloads the progress page of a task until the task has ended, as its script does. */
  async untilDone(): Promise<Seen> {
    const { url, status } = this.page
    if (status !== 202) return this.page
    await eventually('the end of the task', async () => (await this.open(url)).status !== 202)
    return this.page
  }

  async #follow(
    method: 'GET' | 'POST',
    address: string,
    form?: URLSearchParams | FormData,
  ): Promise<Seen> {
    const url = new URL(address, new URL(this.page.url, this.#base_url))
    if (url.origin !== this.#base_url) {
      this.page = { status: 0, url: url.href, body: '', headers: {} }
      return this.page
    }
    const body = form && new Response(form)
    const answer = await this.#app.inject({
      method,
      url: url.pathname + url.search,
      remoteAddress: this.#address,
      headers: {
        host: url.host,
        accept: 'text/html',
        'sec-fetch-dest': 'document',
        cookie: this.cookie,
        ...(body
          ? {
              // The same as a browser sends, which names no character set.
              'content-type': (body.headers.get('content-type') ?? '').replace(/;charset=.*/, ''),
              origin: this.#base_url,
            }
          : {}),
      },
      ...(body ? { payload: Buffer.from(await body.arrayBuffer()) } : {}),
    })
    for (const { name, value } of answer.cookies) {
      if (value === '') this.cookies.delete(name)
      else this.cookies.set(name, value)
    }
    const location = answer.headers.location
    if (answer.statusCode >= 300 && answer.statusCode < 400 && location) {
      this.page = { ...this.page, url: url.pathname + url.search }
      return await this.#follow('GET', String(location))
    }
    this.page = {
      status: answer.statusCode,
      url: url.pathname + url.search,
      body: answer.body,
      headers: answer.headers,
    }
    const onwards = /^0; url=(.+)$/.exec(String(answer.headers.refresh ?? ''))?.[1]
    return onwards === undefined ? this.page : await this.#follow('GET', onwards)
  }
}

// The attributes of a tag; a quoted value may contain `>`.
const FORM = /<form((?:"[^"]*"|[^>"])*)>(.*?)<\/form>/gs
const BUTTON = /<button((?:"[^"]*"|[^>"])*)>(.*?)<\/button>/gs
const LINK = /<a(\s(?:"[^"]*"|[^>"])*)>(.*?)<\/a>/gs
const INPUT = /<input((?:"[^"]*"|[^>"])*)>/g

function formWith(html: string, button: string | RegExp) {
  for (const [, attributes = '', inside = ''] of html.matchAll(FORM)) {
    const pressed = [...inside.matchAll(BUTTON)].find(([, , text]) => {
      const label = decode((text ?? '').replaceAll(/<[^>]*>/g, '')).trim()
      return typeof button === 'string' ? label === button : button.test(label)
    })
    if (!pressed) continue
    const fields: Record<string, string> = {}
    for (const [, input = ''] of inside.matchAll(INPUT)) {
      const name = attribute(input, 'name')
      if (name && attribute(input, 'type') !== 'checkbox') {
        fields[name] = attribute(input, 'value') ?? ''
      }
    }
    const name = attribute(pressed[1] ?? '', 'name')
    if (name) fields[name] = attribute(pressed[1] ?? '', 'value') ?? ''
    return { action: attribute(attributes, 'action') ?? '', fields }
  }
  throw new Error(`this page has no form with the button ${button}:\n${textOf(html)}`)
}

function attribute(tag: string, name: string): string | undefined {
  const value = new RegExp(`\\s${name}="([^"]*)"`).exec(tag)?.[1]
  return value === undefined ? undefined : decode(value)
}

function decode(text: string): string {
  return text
    .replaceAll('&quot;', '"')
    .replaceAll('&lt;', '<')
    .replaceAll('&gt;', '>')
    .replaceAll('&#39;', "'")
    .replaceAll('&amp;', '&')
}

/** The text of a page. */
export function textOf(html: string): string {
  const body = html.replaceAll(/<(script|style|head)[^>]*>.*?<\/\1>/gs, '')
  return decode(body.replaceAll(/<[^>]*>/g, ' '))
    .replaceAll(/\s+/g, ' ')
    .trim()
}

/** The labels of the main buttons and links of a page. */
export function mainButtons(html: string): string[] {
  return (html.match(/<(button|a)\b[^>]*btn-primary.*?<\/\1>/gs) ?? []).map(textOf)
}
