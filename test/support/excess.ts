import assert from 'node:assert/strict'
import type { ExcessRepayment } from '#domain/ledger'
import { payBuyerOtherwise, recordRepayment, writeOffExcess } from '#flows/staff-actions'
import { mintId } from '#platform/ids'
import { cents } from '#platform/money'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import { schedule } from '../../src/sandbox/events.ts'
import { CARD } from './cards.ts'
import { bankSandbox, decideDispute, disputeCharge } from './disputes.ts'
import type { PurchaseFacts } from './purchase.ts'
import { advanceAndHandleEvents, type Bought, buy, refund, staffActor } from './refunds.ts'
import type { TestService } from './service.ts'

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
  const { refund_id } = (await bankSandbox(service).refundOutside(service.clock.now(), made))!
  await handleEvents(service.world)
  await handleEvents(service.world)
  return refund_id
}

/** A purchase of $12.60 that was repaid by check; `amount` cents of it were refunded again. */
export async function buyAndRefundTwice(
  service: TestService,
  amount: number,
  facts: Partial<PurchaseFacts> = {},
): Promise<Bought & { refund_id: string }> {
  const bought = await buy(service, { card: CARD.comes_back, ...facts })
  await refund(service, bought)
  await advanceAndHandleEvents(service, 2)
  const paid = await payBuyerOtherwise(service.world, await staffWithReason(service), bought)
  assert.equal(paid, 1260)
  return { ...bought, refund_id: await refundOutside(service, bought, amount) }
}

/** The card returns a refund that was made in the processor's dashboard. */
export async function returnRefund(
  service: TestService,
  { refund_id: id, charge }: Pick<Bought, 'charge'> & { refund_id: string },
): Promise<void> {
  const { db, random } = service.world
  const now = service.clock.now()
  const failed = { kind: 'refund_settled', refund_id: id, outcome: 'failed' } as const
  await db.tx(async (tx) => {
    await tx.run(sql`update sandbox.refunds set comes_back_at = ${now} where id = ${id}`)
    await schedule(tx, random, now, { id, charge_id: charge.processor_charge_id }, failed)
  })
  await handleEvents(service.world)
}

/** A purchase of $12.60 of which $6.30 were refunded before the bank gave all of it back. */
export async function disputedAfterRefund(service: TestService): Promise<Bought> {
  const bought = await buy(service)
  const dispute = await disputeCharge(service, bought.charge)
  await decideDispute(service, dispute, 'won')
  await refund(service, bought, 630)
  service.clock.pass(86_400)
  await bankSandbox(service).appealDispute(service.clock.now(), dispute.processor_dispute_id)
  await handleEvents(service.world)
  return bought
}

/** Staff records a repayment, with a form of its own unless one is given. */
export async function repay(
  service: TestService,
  { user_id }: Pick<Bought, 'user_id'>,
  amount: number,
  facts: Partial<Omit<ExcessRepayment, 'recorded_by'>> = {},
) {
  return await recordRepayment(service.world, await staffActor(service), {
    id: mintId(service.world.random, 'exr'),
    user_id,
    amount: cents(amount),
    way: 'bank_transfer',
    reference: 'WIRE 4711',
    paid_on: '2026-03-11',
    ...facts,
  })
}

/** Staff writes off the excess that they saw. */
export async function writeOffSeen(
  service: TestService,
  { user_id }: Pick<Bought, 'user_id'>,
  seen: number,
) {
  const staff = await staffWithReason(service)
  return await writeOffExcess(service.world, staff, { user_id, seen: cents(seen) })
}
