import assert from 'node:assert/strict'
import { payBuyerOtherwise } from '#flows/staff-actions'
import { cents } from '#platform/money'
import { handleEvents } from '#surfaces/processor-events/worker'
import { bankOf } from './disputes.ts'
import type { PurchaseFacts } from './purchase.ts'
import { type Bought, buy, passAndHandle, refund, staffActor } from './refunds.ts'
import type { TestService } from './service.ts'

/** A card that returns every refund. */
export const COMES_BACK = '4000000000005126'

/** The cast's operator with a reason, as the actor of a staff action. */
export async function staffWithReason(service: TestService) {
  return { ...(await staffActor(service)), reason: 'Agreed by phone.' }
}

/** Refunds some cents of a charge in the processor's dashboard; returns the refund's id. */
export async function refundOutside(
  service: TestService,
  { charge }: Pick<Bought, 'charge'>,
  amount: number,
): Promise<string> {
  const made = { charge_id: charge.processor_charge_id, amount: cents(amount) }
  const { refund_id } = (await bankOf(service).refundOutside(service.clock.now(), made))!
  await handleEvents(service.world)
  await handleEvents(service.world)
  return refund_id
}

/** A purchase of $12.60, repaid by check, of which some cents were refunded again. */
export async function inExcess(
  service: TestService,
  amount: number,
  facts: Partial<PurchaseFacts> = {},
): Promise<Bought & { refund_id: string }> {
  const bought = await buy(service, { card: COMES_BACK, ...facts })
  await refund(service, bought)
  await passAndHandle(service, 2)
  const paid = await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
  assert.equal(paid, 1260)
  return { ...bought, refund_id: await refundOutside(service, bought, amount) }
}
