import { sql } from '#platform/sql'
import { Agent, type Seen } from './agent.ts'
import type { TestService } from './service.ts'

/** A US address in Texas, which taxes software on four fifths of its price. */
export const TEXAS = { country: 'US', zip: '78701' }

export interface PurchaseFacts {
  email: string
  /** Which of the cast's prices: 0 Pro monthly, 1 Pro yearly, 2 Lifetime. */
  price?: number
  /** The query of the buy link, such as `?next=…`. */
  query?: string
  card?: string
  address?: { country: string; zip: string }
}

let buyers = 0

/** A buyer of the cast's app, with a browser and a network address of their own. */
export function buyer(service: TestService): Agent {
  buyers++
  const address = `10.${buyers >> 16}.${(buyers >> 8) & 255}.${buyers & 255}`
  return new Agent(service.app, service.world.config.base_url, { address })
}

/** Takes a buyer through the first two steps, up to the confirmation page. */
export async function goToConfirm(
  service: TestService,
  agent: Agent,
  facts: PurchaseFacts,
): Promise<Seen> {
  const price = service.demo.app.prices[facts.price ?? 0]!
  await agent.open(`/buy/${price.public_id}/${facts.query ?? ''}`)
  const { country, zip } = facts.address ?? TEXAS
  await agent.submit('Continue', { email: facts.email, country, zip })
  return await enterCard(agent, facts.card)
}

/** Enters a card on the processor's page; its ZIP code is the declared one unless one is given. */
export async function enterCard(
  agent: Agent,
  number = '4242424242424242',
  fields: { zip?: string } = {},
): Promise<Seen> {
  const cvc = number.startsWith('37') ? '1234' : '123'
  return await agent.submit('Continue', { number, expiry: '12/30', cvc, ...fields })
}

/** Buys, through every page, and returns the page at the end. */
export async function purchase(
  service: TestService,
  agent: Agent,
  facts: PurchaseFacts,
): Promise<Seen> {
  await goToConfirm(service, agent, facts)
  return await agent.submit(/^Pay /)
}

/** The processor's charges of a buyer, in cents. */
export async function chargedAmounts({ world }: TestService, email: string): Promise<number[]> {
  const rows = await world.db.rows<{ amount: number }>(sql`select s.amount from sandbox.charges s
    join attempts a on a.id = s.key
    where a.email_normalized = ${email} and s.status = 'succeeded' order by s.created_at`)
  return rows.map(({ amount }) => amount)
}

/** The order reference in the success page's link to the app. */
export function orderReference(page: Seen): string {
  const reference = /svc_order=([\w-]+)/.exec(page.body + page.url)?.[1]
  if (!reference) throw new Error(`no order reference on ${page.url}`)
  return reference
}

/** The license key on a page. */
export function licenseKey(page: Seen): string {
  const key = /key_[0-9A-Za-z]{33}/.exec(page.body)?.[0]
  if (!key) throw new Error(`no license key on ${page.url}`)
  return key
}

/** The headers of a call with the credentials of the cast's app, or with others. */
export function basic(
  service: TestService,
  { client_id, client_secret }: { client_id?: string; client_secret?: string } = {},
): { authorization: string } {
  const { app } = service.demo
  const pair = `${client_id ?? app.client_id}:${client_secret ?? app.client_secret}`
  return { authorization: `Basic ${Buffer.from(pair).toString('base64')}` }
}
