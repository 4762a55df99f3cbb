import * as apps from '#domain/apps'
import * as catalog from '#domain/catalog'
import { mintId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { sql } from '#platform/sql'
import type { Agent } from './agent.ts'
import type { OtherApp } from './apps.ts'
import type { TestService } from './service.ts'
import { DAY, otherApp, runDue, type Subscriber } from './subscriber.ts'

/** An app with a plan at $10.00 a month and a second, by default more expensive one. */
export async function twoPlans(
  service: TestService,
  facts: Parameters<typeof otherApp>[1] & { other?: Cents } = {},
) {
  const { other = cents(3000), ...rest } = facts
  const app = await otherApp(service, { amount: cents(1000), ...rest })
  const { db, clock, random } = service.world
  const product_id = mintId(random, 'prod')
  const plan = { name: 'Harbor Fleet', description: '', is_free: false, position: 1 }
  await catalog.addProduct(db, clock.now(), {
    ...plan,
    id: product_id,
    app_id: app.client_id,
    trial_days: 0,
  })
  const other_id = mintId(random, 'prc')
  const price = { id: other_id, product_id, amount: other, frequency: 'month' as const }
  await catalog.addPrice(db, clock.now(), price)
  return { ...app, other_id }
}

/** The path of a subscriber's manage page. */
export const manage = ({ app }: Pick<Subscriber, 'app'>) => `/manage/${app.client_id}/`
/** The text of the open page, with its punctuation next to the words. */
export const pageText = (agent: Agent) => agent.text.replaceAll(/ ([,.])/g, '$1')

/** Lets days pass for one app, day by day, so that a browser's session does not expire. */
export async function passDaysOf(service: TestService, app: OtherApp, days: number) {
  const { db } = service.world
  const { clock_ahead } = await apps.get(db, app.client_id)
  for (let day = 1; day <= days; day++) {
    await apps.setClockAhead(db, app.client_id, clock_ahead + day * DAY)
    await runDue(service)
  }
}

/** The bank declines a card from now on. */
export async function declineFromNowOn(service: TestService, { user_id }: Subscriber) {
  await service.world.db.run(sql`update sandbox.cards
    set behavior = 'declines_insufficient_funds'
    where token in (select token from cards where user_id = ${user_id})`)
}
