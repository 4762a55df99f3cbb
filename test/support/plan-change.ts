import assert from 'node:assert/strict'
import { changePlan, quotePlanChange } from '#flows/subscription'
import type { PriceId } from '#platform/ids'
import type { TestService } from './service.ts'
import { buyerActor, type Subscriber } from './subscriber.ts'

/** Confirms the quote of a plan change; fails if there is none. */
export async function agreeTo(
  { world }: TestService,
  subscriber: Subscriber,
  quote: { agreement: string } | undefined,
) {
  assert.ok(quote, 'the plan change is offered')
  const { license_id } = subscriber
  const agreed = { license_id, agreement: quote.agreement, return_url: 'http://localhost/manage' }
  return await changePlan(world, buyerActor(subscriber), agreed)
}

/** Quotes a plan change and confirms it. */
export async function changePlanTo(
  service: TestService,
  subscriber: Subscriber,
  price_id: PriceId,
) {
  const { license_id } = subscriber
  const quote = await quotePlanChange(service.world, { license_id, price_id })
  assert.ok(quote, 'the plan change is offered')
  return { quote, moved: await agreeTo(service, subscriber, quote) }
}
