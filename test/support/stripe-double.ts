/**
 * A double of Stripe for tests: the parts of its API that the adapter uses, with idempotency keys,
 * test cards and events. Actions on its hosted pages are methods. Its shapes are checked against
 * Stripe's own description in test/stripe/shapes.test.ts.
 */
import { createHmac, randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import type { AddressInfo } from 'node:net'
import {
  cancel,
  createPayment,
  createRefund,
  createSetup,
  endChallenge,
  refundByHand,
  updateDispute,
  warnOfFraud,
} from './stripe/intents.ts'
import * as pages from './stripe/pages.ts'
import * as payees from './stripe/payees.ts'
import { type Plan, State, type Thing } from './stripe/state.ts'
import { type Form, Lost, Refusal, readBody, readForm } from './stripe/wire.ts'

export const SECRET_KEY = 'sk_test_double'
export const WEBHOOK_SECRET = 'whsec_double'
export const CONNECT_SECRET = 'whsec_double_connect'

const KEY_LIFETIME_MS = 24 * 60 * 60 * 1000

/** A received request with its response; no status if the connection was cut. */
export interface RecordedRequest {
  method: string
  path: string
  /** The path with `{}` in place of each ID. */
  route: string
  key: string | undefined
  account: string | undefined
  form: Form
  status?: number
  body?: unknown
}

interface KeptAnswer {
  at: Date
  said: string
  answer?: { status: number; body: unknown }
}

interface Answer {
  status: number
  body: unknown
  /** Whether the same key gets the same response from now on. */
  keeps_key?: boolean
  /** True for a replayed response. */
  replayed?: boolean
}

/**
 * A network fault: before a request arrives, or after it was processed. A number is the status of a
 * server error.
 */
export type Fault = 'request' | 'answer' | number | { method: string; loses: 'answer' | 'request' }

export type Deliver = (body: string, signature: string) => Promise<number>

export class StripeDouble {
  readonly requests: RecordedRequest[] = []
  readonly state: State
  /** Receives events; a delivery without a 2xx response is repeated. */
  deliver: Deliver | undefined
  /** A fault of every request, while it is set. */
  fault: Fault | undefined
  /** The status of one operation, while it is set, and the code of the error. */
  faultAt: { route: string; status: number; code?: string } | undefined
  #server: Server
  #keys = new Map<string, KeptAnswer>()
  #undelivered: { body: string; secret: string }[] = []

  private constructor(now: () => Date, server: Server) {
    this.state = new State(now)
    this.#server = server
  }

  static async open(now: () => Date): Promise<StripeDouble> {
    const server = createServer()
    const double = new StripeDouble(now, server)
    server.on('request', (request, response) => double.#serve(request, response))
    await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))
    return double
  }

  get url(): string {
    return `http://127.0.0.1:${(this.#server.address() as AddressInfo).port}`
  }

  async close(): Promise<void> {
    this.#server.closeAllConnections()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  /** Enters a card on the page of a session; returns where the buyer is redirected. */
  enterCard(id: string, number: string, zip = '94107'): string {
    return pages.enterCard(this.state, id, number, zip).success_url
  }

  endChallenge(url: string, how: 'passed' | 'failed'): void {
    endChallenge(this.state, url, how)
  }

  refundByHand(charge_id: string, amount: number): string {
    return refundByHand(this.state, charge_id, amount).id
  }

  warnOfFraud(charge_id: string): void {
    warnOfFraud(this.state, charge_id)
  }

  cancelPayout(payout_id: string): void {
    payees.cancelPayout(this.state, payout_id)
  }

  changeCard(portal_id: string, number: string): void {
    pages.changeCard(this.state, portal_id, number)
  }

  enterBank(url: string, kind: 'works' | 'fails'): void {
    payees.enterBank(this.state, url, kind)
  }

  /** Adds the operator's own money to the balance; a negative amount removes it. */
  moveFunds(amount: number): void {
    this.state.moveBalance(amount > 0 ? 'topup' : 'payout', amount, null)
  }

  /** Runs everything that is due, and delivers its events. */
  async settle(): Promise<void> {
    for (const card of this.state.cards.values()) card.loses = undefined
    const due = this.state.plans.filter((plan) => plan.due <= this.state.now())
    due.sort((left, right) => left.due.getTime() - right.due.getTime())
    for (const plan of due) {
      this.state.plans.splice(this.state.plans.indexOf(plan), 1)
      this.#undelivered.push(this.#event(plan))
    }
    await this.#deliverAll()
  }

  /** Delivers a made-up event. */
  async send(type: string, object: Partial<Thing>, facts: Record<string, unknown> = {}) {
    const body = JSON.stringify({ ...this.#envelope(type), data: { object }, ...facts })
    this.#undelivered.push({ body, secret: WEBHOOK_SECRET })
    await this.#deliverAll()
  }

  /** The signature header of a body. */
  sign(body: string, secret = WEBHOOK_SECRET, at = this.state.seconds()): string {
    const signature = createHmac('sha256', secret).update(`${at}.${body}`).digest('hex')
    return `t=${at},v1=${signature}`
  }

  #envelope(type: string, created = this.state.seconds()) {
    const id = `evt_${randomBytes(12).toString('hex')}`
    const request = { id: null, idempotency_key: null }
    return { id, object: 'event', type, created, livemode: false, pending_webhooks: 1, request }
  }

  #event({ due, type, account, happen }: Plan): { body: string; secret: string } {
    const envelope = this.#envelope(type, Math.floor(due.getTime() / 1000))
    const body = JSON.stringify({ ...envelope, account, data: happen() })
    return { body, secret: account ? CONNECT_SECRET : WEBHOOK_SECRET }
  }

  async #deliverAll(): Promise<void> {
    const waiting = this.#undelivered.splice(0)
    for (const event of waiting) {
      const status = await this.deliver?.(event.body, this.sign(event.body, event.secret))
      if (status === undefined || status >= 300) this.#undelivered.push(event)
    }
  }

  async #serve(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const { pathname, search } = new URL(request.url!, this.url)
    const text = await readBody(request)
    const line: RecordedRequest = {
      method: request.method!,
      path: pathname,
      route: pathname.replaceAll(/\/[a-z]+(_[a-z]+)?_[0-9a-f]{24}/g, '/{}'),
      key: request.headers['idempotency-key'] as string | undefined,
      account: request.headers['stripe-account'] as string | undefined,
      form: readForm(textOf(request, text, search)),
    }
    this.requests.push(line)
    try {
      const loses = this.#loses(line)
      if (loses === 'request') throw new Lost()
      const { status, body, replayed } = await this.#answerOnce(line, request)
      Object.assign(line, { status, body: structuredClone(body) })
      if (loses === 'answer') throw new Lost()
      const headers = replayed ? { 'idempotent-replayed': 'true' } : {}
      response.writeHead(status, { 'content-type': 'application/json', ...headers })
      response.end(JSON.stringify(body))
    } catch (error) {
      if (!(error instanceof Lost)) console.error(error)
      request.socket.destroy()
    }
  }

  /** The same key with the same parameters gets the same response, as at Stripe. */
  async #answerOnce(line: RecordedRequest, request: IncomingMessage): Promise<Answer> {
    const { key, method, path, account, form } = line
    if (request.headers.authorization !== `Bearer ${SECRET_KEY}`) {
      return refusal(new Refusal(401, { message: 'Invalid API Key provided' }))
    }
    if (typeof this.fault === 'number' && method === 'GET') {
      return refusal(faultOf(this.fault))
    }
    if (method !== 'POST' || !key) return await this.#answer(line)
    const said = JSON.stringify([path, account, form])
    const kept = this.#keys.get(key)
    const isOld = kept && this.state.now().getTime() - kept.at.getTime() > KEY_LIFETIME_MS
    if (kept && !isOld) {
      if (kept.said !== said) {
        const message = 'Keys can only be used with the same parameters they were first used with.'
        return refusal(new Refusal(400, { type: 'idempotency_error', message }))
      }
      if (kept.answer) {
        if (this.#isLossy(kept.answer.body)) throw new Lost()
        return { ...kept.answer, replayed: true }
      }
      const message = 'There is currently another in-progress request using this key.'
      return refusal(new Refusal(409, { code: 'idempotency_key_in_use', message }))
    }
    const keeping: KeptAnswer = { at: this.state.now(), said }
    this.#keys.set(key, keeping)
    try {
      const { keeps_key, ...answer } = await this.#answer(line)
      if (keeps_key) keeping.answer = structuredClone(answer)
      else this.#keys.delete(key)
      return answer
    } catch (error) {
      const isMade = error instanceof Lost && this.#lastMade(key)
      // A card that loses the response was charged: the key returns the charge from now on.
      if (isMade) keeping.answer = structuredClone({ status: 200, body: isMade })
      else this.#keys.delete(key)
      throw error
    }
  }

  #lastMade(key: string): Thing | undefined {
    return [...this.state.things.values()].find(
      ({ object, metadata }) => object.endsWith('_intent') && metadata?.key === key,
    )
  }

  #loses({ method }: RecordedRequest): 'request' | 'answer' | undefined {
    const { fault } = this
    if (typeof fault === 'object') return fault.method === method ? fault.loses : undefined
    return typeof fault === 'string' ? fault : undefined
  }

  #isLossy(body: unknown): boolean {
    const { payment_method } = body as Partial<Thing>
    return this.state.cards.get(payment_method)?.loses === 'answer'
  }

  async #answer(line: RecordedRequest): Promise<Answer> {
    // A concurrent request finds the key in use.
    await new Promise(setImmediate)
    try {
      if (typeof this.fault === 'number') {
        throw faultOf(this.fault)
      }
      const { faultAt } = this
      if (faultAt?.route === `${line.method} ${line.route}`)
        throw faultOf(faultAt.status, faultAt.code)
      const thing = this.#route(line)
      const expand = (line.form.expand ?? []) as string[]
      return { status: 200, body: expanded(this.state, thing, expand), keeps_key: true }
    } catch (error) {
      if (error instanceof Refusal) return refusal(error)
      throw error
    }
  }

  #route({ method, route, path, form, account }: RecordedRequest): unknown {
    const { state } = this
    const id = path.split('/')[route.split('/').indexOf('{}')] ?? ''
    const list = (object: string, field?: string) => {
      const { gte, lt } = Object(form.created) as Record<string, string>
      const isRequested = (each: Thing) =>
        (!field || form[field] === undefined || each[field] === form[field]) &&
        each.created! >= Number(gte ?? 0) &&
        each.created! < Number(lt ?? Number.POSITIVE_INFINITY)
      const all = state.all(object, isRequested)
      const from = all.findIndex((each) => each.id === form.starting_after) + 1
      const page = all.slice(from, from + Number(form.limit ?? 10))
      return payees.list(page, path, from + page.length < all.length)
    }
    const routes: Record<string, () => unknown> = {
      'POST /v1/checkout/sessions': () => pages.createSession(state, form),
      'GET /v1/checkout/sessions/{}': () => state.find(id, 'checkout.session'),
      'POST /v1/payment_intents': () => createPayment(state, form),
      'GET /v1/payment_intents': () => list('payment_intent', 'customer'),
      'GET /v1/payment_intents/{}': () => state.find(id, 'payment_intent'),
      'POST /v1/payment_intents/{}/cancel': () => cancel(state, 'payment_intent', id),
      'POST /v1/setup_intents': () => createSetup(state, form),
      'GET /v1/setup_intents': () => list('setup_intent', 'customer'),
      'GET /v1/setup_intents/{}': () => state.find(id, 'setup_intent'),
      'POST /v1/setup_intents/{}/cancel': () => cancel(state, 'setup_intent', id),
      'POST /v1/refunds': () => createRefund(state, form),
      'GET /v1/refunds': () => list('refund', 'payment_intent'),
      'GET /v1/refunds/{}': () => state.find(id, 'refund'),
      'GET /v1/disputes': () => list('dispute'),
      'GET /v1/disputes/{}': () => state.find(id, 'dispute'),
      'POST /v1/disputes/{}': () => updateDispute(state, id, form),
      'GET /v1/account': () => state.setup.account,
      'GET /v1/accounts': () => {
        payees.assertConnect(state)
        return list('account')
      },
      'GET /v1/webhook_endpoints': () => payees.list(state.setup.webhook_endpoints, path),
      'GET /v1/billing_portal/configurations': () => payees.list(state.setup.portals, path),
      'GET /v1/tax/settings': () => state.setup.tax_settings,
      'GET /v1/tax/registrations': () => payees.list(state.setup.tax_registrations, path),
      'POST /v1/accounts': () => payees.createAccount(state, form),
      'GET /v1/accounts/{}': () => state.find(id, 'account'),
      'POST /v1/account_links': () => payees.createLink(state, form),
      'POST /v1/transfers': () => payees.createTransfer(state, form),
      'GET /v1/transfers': () => list('transfer', 'destination'),
      'GET /v1/transfers/{}': () => state.find(id, 'transfer'),
      'POST /v1/transfers/{}/reversals': () => payees.reverseTransfer(state, id),
      'GET /v1/balance': () => payees.readBalance(state),
      'GET /v1/balance_transactions': () => list('balance_transaction'),
      'POST /v1/payouts': () => payees.createPayout(state, form, account!),
      'GET /v1/payouts': () => {
        const mine = state.all('payout', (each) => each.account === account)
        return payees.list(mine, path)
      },
      'GET /v1/payouts/{}': () => state.find(id, 'payout'),
      'POST /v1/billing_portal/sessions': () => pages.createPortal(state, form),
      'GET /v1/customers/{}': () => state.find(id, 'customer'),
      'POST /v1/customers/{}': () => pages.updateCustomer(state, id, form),
      'POST /v1/tax/transactions/create_from_calculation': () => pages.recordTax(state, form),
      'POST /v1/tax/transactions/create_reversal': () => pages.reverseTax(state, form),
      'POST /v1/tax/calculations': () => pages.calculateTax(state, form),
    }
    const answer = routes[`${method} ${route}`]
    if (!answer)
      throw new Refusal(404, { message: `Unrecognized request URL (${method}: ${path})` })
    return answer()
  }
}

function textOf(request: IncomingMessage, text: string, search: string): string {
  return request.method === 'POST' ? text : search.slice(1)
}

/** A server error of Stripe, a refusal (400), or an account that was revoked (403). */
function faultOf(status: number, code?: string): Refusal {
  if (status === 403) {
    const message = 'Application access may have been revoked.'
    return new Refusal(403, { code: 'account_invalid', message }, false)
  }
  const type = status === 400 ? 'invalid_request_error' : 'api_error'
  return new Refusal(status, { type, message: 'A fault', ...(code && { code }) })
}

function refusal({ status, body, keeps_key }: Refusal): Answer {
  return { status, body: { error: body }, keeps_key }
}

/** An object with the requested fields expanded. */
function expanded(state: State, thing: unknown, paths: string[]): unknown {
  const copy = structuredClone(thing)
  for (const path of paths) expand(state, copy, path.split('.'))
  return copy
}

function expand(state: State, place: unknown, [name, ...rest]: string[]): void {
  if (name === undefined || typeof place !== 'object' || place === null) return
  const within = place as Record<string, unknown>
  const value = within[name]
  const isId = typeof value === 'string' && state.things.has(value)
  if (isId) within[name] = structuredClone(state.things.get(value))
  const found = within[name]
  for (const each of Array.isArray(found) ? found : [found]) expand(state, each, rest)
}
