import assert from 'node:assert/strict'
import * as licensing from '#domain/licensing'
import { renewDue } from '#flows/subscription'
import type { AppId, LicenseId, PriceId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Agent } from './agent.ts'
import { addApp, type OtherApp } from './apps.ts'
import { CARD } from './cards.ts'
import { eventually } from './eventually.ts'
import { basic, buyer, enterCard, TEXAS } from './purchase.ts'
import type { TestService } from './service.ts'

export const DAY = 86_400

/** A buyer of a plan that renews, with their browser. */
export interface Subscriber {
  agent: Agent
  email: string
  user_id: UserId
  license_id: LicenseId
  license_key: string
  /** The credentials of the app, if it is not the cast's. */
  app: { client_id: AppId; client_secret: string }
}

let count = 0
let calls = 0

/** Buys a price (by default the cast's monthly plan) with a card, now. */
export async function subscribe(
  service: TestService,
  facts: { card?: string; price_id?: PriceId; app?: OtherApp; address?: typeof TEXAS } = {},
): Promise<Subscriber> {
  const { world, demo } = service
  const app = facts.app ?? demo.app
  const price_id = facts.price_id ?? facts.app?.price_id ?? demo.app.prices[0]!.public_id
  const email = `subscriber-${count++}@example.com`
  const agent = buyer(service)
  await agent.open(`/buy/${price_id}/`)
  await agent.submit('Continue', { email, ...(facts.address ?? TEXAS) })
  await enterCard(agent, facts.card ?? CARD.good)
  await agent.submit(/^(Pay|Start) /)
  const license = await world.db.one<licensing.License>(sql`
    select l.id as license_id, l.user_id, l.key_sealed from licenses l
      join users u on u.id = l.user_id
    where u.email_normalized = ${email}`)
  const { license_id, user_id } = license
  const license_key = licensing.showKey(world.keys, license)
  return { agent, email, user_id, license_id, license_key, app }
}

/** The result of validating a subscriber's key as the seller's server. */
export async function stateOf(
  service: TestService,
  { license_key, app }: Pick<Subscriber, 'license_key' | 'app'>,
) {
  const answer = await service.app.inject({
    method: 'POST',
    url: '/api/v1/licenses/validate',
    headers: basic(service, app),
    // The limit counts by network.
    remoteAddress: `10.200.${(calls >> 8) & 255}.${calls++ & 255}`,
    payload: { key: license_key },
  })
  assert.equal(answer.statusCode, 200, answer.body)
  return answer.json() as licensing.LicenseState
}

/**
 * Processes everything that is due. The service's own poll, if it runs, may have claimed some of it
 * first, and still be charging: then this waits for that.
 */
export async function runDue(service: TestService): Promise<void> {
  await eventually('subscriptions that are due', async () => {
    for (let round = 0; (await renewDue(service.world)) > 0; round++) assert.ok(round < 1000)
    return !service.isPolling() || !(await isAnyClaimed(service))
  })
}

async function isAnyClaimed({ world, clock }: TestService): Promise<boolean> {
  const { found } = await world.db.one<{ found: boolean }>(sql`select exists (
    select from subscriptions where ended_at is null and claimed_until > ${clock.now()}) as found`)
  return found
}

/** Advances the clock day by day, and processes what is due on each. */
export async function passDays(service: TestService, days: number): Promise<void> {
  for (let day = 0; day < days; day++) {
    service.clock.pass(DAY)
    await runDue(service)
  }
}

/** Another app of the cast's seller, with a plan of this frequency. */
export async function otherApp(
  service: TestService,
  facts: Omit<Parameters<typeof addApp>[1], 'slug'>,
): Promise<OtherApp> {
  return await addApp(service, { slug: `other-${count++}`, ...facts })
}

/** The paid invoices of a license, in order of payment. */
export async function invoicesOf({ world }: TestService, { license_id }: Subscriber) {
  return await world.db.rows<{
    kind: string
    amount: number
    tax: number
    credit: number
    period_start: Date
    period_end: Date | null
  }>(sql`select kind, amount, tax, period_start, period_end,
      (select coalesce(-sum(l.amount), 0)::bigint from invoice_lines l
        where l.invoice_id = invoices.id and l.kind = 'credit') as credit
    from invoices where license_id = ${license_id} and status = 'paid' and amount > 0
    order by paid_at, number`)
}

/** A subscriber as the actor of a change. */
export const buyerActor = ({ user_id }: Pick<Subscriber, 'user_id'>) =>
  ({ kind: 'buyer', user_id, request_id: 'req_test' }) as const
