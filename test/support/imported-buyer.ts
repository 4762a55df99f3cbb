import * as catalog from '#domain/catalog'
import * as licensing from '#domain/licensing'
import { addDays } from '#platform/calendar'
import type { LicenseId, PriceId, ProductId, UserId } from '#platform/ids'
import { sql } from '#platform/sql'
import type { Agent, Seen } from './agent.ts'
import { addImported } from './imported.ts'
import { buyer, enterCard, TEXAS } from './purchase.ts'
import type { TestService } from './service.ts'
import { signInAs } from './sign-in.ts'

/** The buyer of an imported license of the cast's app, signed in. */
export interface ImportedBuyer {
  agent: Agent
  email: string
  user_id: UserId
  license_id: LicenseId
  license_key: string
  former_key: string
  product_id: ProductId
  /** The cast's price at which the license can be continued. */
  price_id: PriceId
  app: TestService['demo']['app']
}

let count = 0

/** Imports a license that was paid until a number of days from now; null: for good. */
export async function importedBuyer(
  service: TestService,
  {
    days = 20,
    price = 0,
    email: known,
  }: { days?: number | null; price?: number; email?: string } = {},
): Promise<ImportedBuyer> {
  const { world, demo, clock } = service
  const email = known ?? `imported-${count++}@example.com`
  const former_key = `former-${email}`
  const price_id = demo.app.prices[price]!.public_id
  const { product_id } = await catalog.getPrice(world.db, price_id)
  const license_id = await addImported(service, {
    app_id: demo.app.client_id,
    product_id,
    email,
    ends_at: days === null ? null : addDays(clock.now(), days),
    former_keys: [former_key],
  })
  const license = await licensing.getLicense(world.db, license_id)
  const { user_id } = license
  const license_key = licensing.showKey(world.keys, license)
  const agent = await signInAs(service, { user_id }, { agent: buyer(service) })
  const keys = { license_id, license_key, former_key }
  return { agent, email, user_id, ...keys, product_id, price_id, app: demo.app }
}

/** The page on which the buyer enters their address, at the price of `importedBuyer`. */
async function openContinuation(buyer: ImportedBuyer): Promise<Seen> {
  const { agent, license_id, price_id } = buyer
  return await agent.open(`/buy/${price_id}/?continue=${license_id}`)
}

/** Takes the buyer to the confirmation page. */
export async function goToContinue(buyer: ImportedBuyer, card?: string): Promise<Seen> {
  await openContinuation(buyer)
  await buyer.agent.submit('Continue', TEXAS)
  return await enterCard(buyer.agent, card)
}

/** Continues an imported license with a card, through every page. */
export async function continueWithCard(buyer: ImportedBuyer, card?: string): Promise<Seen> {
  await goToContinue(buyer, card)
  return await buyer.agent.submit('Continue with this card')
}

/** What is stored of a license: its own facts, and how many orders and subscriptions it has. */
export async function storedOf({ world }: TestService, { license_id }: { license_id: LicenseId }) {
  return await world.db.one<{
    status: string
    origin: string
    orders: number
    subscriptions: number
    triggers: string[]
  }>(sql`select l.status, l.origin,
      (select count(*) from orders o where o.license_id = l.id) as orders,
      (select count(*) from subscriptions s where s.license_id = l.id) as subscriptions,
      (select array_agg(h.trigger order by h.id) from license_history h where h.license_id = l.id)
        as triggers
    from licenses l where l.id = ${license_id}`)
}
