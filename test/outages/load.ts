import { setTimeout as pause } from 'node:timers/promises'
import { Agent, type Seen } from '../support/agent.ts'
import { enterCard, licenseKey, orderReference, TEXAS } from '../support/purchase.ts'
import type { Cluster } from './cluster.ts'
import { recorded } from './over-http.ts'

/** One answer under load: its status (0: no answer), and how long it took. */
export interface Answer {
  what: string
  status: number
  ms: number
}

/** Buyers and sellers' servers at work. */
export interface Load {
  answers: Answer[]
  /** License keys that buyers received, by email address. */
  keys: Map<string, string>
  /** Waits until this many more purchases are complete. */
  purchases(count: number): Promise<void>
  /** Ends the load: purchases under way are completed first. */
  stop(): Promise<void>
  /** Ends it at once, and forgets what was under way. */
  abort(): void
}

/** The button of a purchase, or of one that begins with a trial. */
export const PAY = /^Pay |^Start free trial$/
const PAY_SHOWN = />(Pay |Start free trial<)/
const RETRY_MS = 200
const GIVE_UP_MS = 120_000
let buyers = 0

/** A browser of its own network address, whose answers are recorded. */
function browser(cluster: Cluster, answers: Answer[]): { agent: Agent; cart: () => string } {
  buyers++
  const address = `10.${(buyers >> 16) & 255}.${(buyers >> 8) & 255}.${buyers & 255}`
  let cart = ''
  const app = recorded(cluster.front, answers, (url) => {
    cart = /^\/checkout\/\w+/.exec(url)?.[0] ?? cart
  })
  return { agent: new Agent(app, cluster.front, { address }), cart: () => cart }
}

/** Takes a buyer to the page with the Pay button; they repeat what failed. */
async function goToPay(cluster: Cluster, answers: Answer[], email: string): Promise<Agent> {
  const { agent, cart } = browser(cluster, answers)
  const price = cluster.demo.app.prices[0]!.public_id
  await insist(agent, () => agent.open(`/buy/${price}/`), /Continue/)
  await insist(agent, () => agent.submit('Continue', { email, ...TEXAS }), /Card number/)
  let isEntered = false
  const enter = () => {
    // The card may have been entered although the answer was lost.
    const act = isEntered ? agent.open(`${cart()}/card`) : enterCard(agent)
    isEntered = !isEntered
    return act
  }
  await insist(agent, enter, /^\/checkout\/\w+\/confirm/, (page) => /Card number/.test(page.body))
  return agent
}

/** Pays, and looks again until the key is shown; returns that page. */
export async function pay(agent: Agent): Promise<Seen> {
  const cart = /\/checkout\/\w+/.exec(agent.page.url)![0]
  const deadline = performance.now() + GIVE_UP_MS
  let act: () => Promise<Seen> = () => agent.submit(PAY)
  for (;;) {
    const page = await act().catch(() => undefined)
    if (page && /key_[0-9A-Za-z]{33}/.test(page.body)) return page
    if (performance.now() > deadline) {
      throw new Error(`no key after ${GIVE_UP_MS} ms at ${agent.page.url}: ${agent.page.status}`)
    }
    const asksToPay = page?.status === 200 && PAY_SHOWN.test(page.body)
    act = asksToPay ? () => agent.submit(PAY) : () => agent.open(`${cart}/success`)
    await pause(RETRY_MS)
  }
}

/** Repeats a step from the same page until it leads to a page with this URL or text. */
async function insist(
  agent: Agent,
  act: () => Promise<Seen>,
  expected: RegExp,
  staysOn: (page: Seen) => boolean = () => false,
): Promise<void> {
  const before = agent.page
  const deadline = performance.now() + GIVE_UP_MS
  for (;;) {
    const page = await act().catch(() => undefined)
    if (page?.status === 200 && expected.test(page.url + page.body)) return
    if (performance.now() > deadline) {
      throw new Error(`no ${expected} after ${GIVE_UP_MS} ms: ${agent.page.url}`)
    }
    if (!page || !staysOn(page)) agent.page = before
    await pause(RETRY_MS)
  }
}

/** Buys continuously, validates keys, and reads pages and orders, until it is stopped. */
export function startLoad(
  cluster: Cluster,
  { buyers: count = 2, validators = 1, readers = 0, label = 'load' } = {},
): Load {
  const answers: Answer[] = []
  const keys = new Map<string, string>()
  const failures: unknown[] = []
  let stopping = false
  let number = 0
  let reference: string | undefined
  const buyOn = async () => {
    while (!stopping) {
      const email = `${label}-${number++}@example.com`
      const page = await pay(await goToPay(cluster, answers, email))
      keys.set(email, licenseKey(page))
      reference = orderReference(page)
    }
  }
  const validateOn = async () => {
    while (!stopping) {
      const key = [...keys.values()].at(-1)
      if (key) await validate(cluster, answers, key).catch(() => {})
      await pause(20)
    }
  }
  const readOn = async () => {
    while (!stopping) {
      await browser(cluster, answers)
        .agent.open('/')
        .catch(() => {})
      if (reference) await lookUp(cluster, answers, reference).catch(() => {})
      await pause(20)
    }
  }
  const work = [
    ...Array.from({ length: count }, buyOn),
    ...Array.from({ length: validators }, validateOn),
    ...Array.from({ length: readers }, readOn),
  ].map((each) =>
    each.catch((error) => {
      failures.push(error)
      stopping = true
    }),
  )
  return {
    answers,
    keys,
    async purchases(more) {
      const wanted = keys.size + more
      while (keys.size < wanted && !stopping) await pause(RETRY_MS / 4)
      if (failures.length > 0) throw failures[0]
    },
    abort() {
      stopping = true
    },
    async stop() {
      stopping = true
      await Promise.all(work)
      if (failures.length > 0) throw failures[0]
    },
  }
}

let servers = 0

/** Validates a key as the seller's server; returns the status of the answer. */
export async function validate(cluster: Cluster, answers: Answer[], key: string): Promise<number> {
  return await call(cluster, answers, '/api/v1/licenses/validate', { key })
}

/** Looks an order up as the seller's server. */
async function lookUp(cluster: Cluster, answers: Answer[], reference: string): Promise<number> {
  return await call(cluster, answers, `/api/v1/orders/${reference}`)
}

/** Calls the license API as the seller's server, by POST where there is a body. */
async function call(
  cluster: Cluster,
  answers: Answer[],
  url: string,
  body?: object,
): Promise<number> {
  const { client_id, client_secret } = cluster.demo.app
  const pair = Buffer.from(`${client_id}:${client_secret}`).toString('base64')
  servers++
  const { statusCode } = await recorded(cluster.front, answers).inject({
    method: body ? 'POST' : 'GET',
    url,
    headers: {
      authorization: `Basic ${pair}`,
      ...(body && { 'content-type': 'application/json' }),
    },
    remoteAddress: `10.200.${(servers >> 8) & 255}.${servers & 255}`,
    ...(body && { payload: JSON.stringify(body) }),
  })
  return statusCode
}
