import assert from 'node:assert/strict'
import * as catalog from '#domain/catalog'
import type { Frequency } from '#platform/calendar'
import { mintId, type PriceId, type ProductId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { type Agent, textOf } from './agent.ts'
import type { OtherApp } from './apps.ts'
import { buyer, enterCard, TEXAS } from './purchase.ts'
import type { TestService } from './service.ts'
import type { Subscriber } from './subscriber.ts'

let names = 0
const fresh = () => `discount-${names++}@example.com`

/** Opens a buy link with a code, up to the confirmation page; Texas adds 5 percent tax. */
export async function goToConfirmWithCode(
  service: TestService,
  app: OtherApp,
  code: string,
  facts: { email?: string; card?: string; agent?: Agent } = {},
): Promise<Agent & { email: string }> {
  const agent = facts.agent ?? buyer(service)
  const email = facts.email ?? fresh()
  await agent.open(`/buy/${app.price_id}/?discount=${code}`)
  await agent.submit('Continue', { email, ...TEXAS })
  await enterCard(agent, facts.card)
  return Object.assign(agent, { email })
}

/** The buttons that confirm an order. */
export const PAY = /^(Pay|Start|Complete) /

/** Buys with a code, and returns the subscriber. */
export async function buyWithCode(
  service: TestService,
  app: OtherApp,
  code: string,
  card?: string,
): Promise<Subscriber> {
  const agent = await goToConfirmWithCode(service, app, code, card === undefined ? {} : { card })
  assert.match(textOf((await agent.submit(PAY)).body), /License key/)
  return await subscriberOf(service, agent, app)
}

/** The subscriber who bought in a browser. */
export async function subscriberOf(
  service: TestService,
  agent: Agent & { email: string },
  app: OtherApp,
): Promise<Subscriber> {
  const { email } = agent
  const found = await service.world.db.one<Pick<Subscriber, 'license_id' | 'user_id'>>(sql`
    select l.id as license_id, l.user_id from licenses l join users u on u.id = l.user_id
    where u.email_normalized = ${email} and l.status <> 'canceled'`)
  return { ...found, agent, email, app, license_key: '' }
}

/** Another plan of an app. */
export async function addPlan(
  service: TestService,
  app: OtherApp,
  amount: number,
  frequency: Frequency | null = 'month',
) {
  const { db, random } = service.world
  const now = service.clock.now()
  const product_id: ProductId = mintId(random, 'prod')
  const id: PriceId = mintId(random, 'prc')
  const plan = { name: `Plan ${product_id.slice(-4)}`, description: '', is_free: false }
  const product = { ...plan, id: product_id, app_id: app.client_id, position: 1, trial_days: 0 }
  await catalog.addProduct(db, now, product)
  await catalog.addPrice(db, now, { id, product_id, amount: cents(amount), frequency })
  return { product_id, price_id: id }
}
