import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import type { InvoiceId } from '#platform/ids'
import { sql } from '#platform/sql'
import { handleEvents } from '#surfaces/processor-events/worker'
import type { Sandbox } from '../../src/sandbox/index.ts'
import type { Bought } from './refunds.ts'
import type { TestService } from './service.ts'

/** The sandbox of a test's service, with which a test acts as the bank. */
export function bankSandbox({ world }: TestService): Sandbox {
  return world.processor as Sandbox
}

/** A buyer disputes a charge, and the service handles the event. */
export async function disputeCharge(
  service: TestService,
  charge: Pick<payments.Charge, 'id' | 'processor_charge_id'>,
  { is_inquiry = false }: { is_inquiry?: boolean } = {},
): Promise<payments.Dispute> {
  const scenario = {
    charge_id: charge.processor_charge_id,
    reason: 'fraudulent' as const,
    is_inquiry,
  }
  await bankSandbox(service).disputeCharge(service.clock.now(), scenario)
  await handleEvents(service.world)
  return (await payments.disputesOf(service.world.db, charge.id))[0]!
}

/** The bank decides a dispute, and the service handles the event. */
export async function decideDispute(
  service: TestService,
  { processor_dispute_id }: payments.Dispute,
  outcome: 'won' | 'lost',
): Promise<void> {
  const scenario = { dispute_id: processor_dispute_id, outcome }
  await bankSandbox(service).decideDispute(service.clock.now(), scenario)
  await handleEvents(service.world)
}

/** The stored dispute of a purchase. */
export async function disputeOf({ world }: TestService, { charge }: Bought) {
  return (await payments.disputesOf(world.db, charge.id))[0]
}

/** The amount owed to the cast's seller in cents; negative if the seller owes it. */
export async function owedToSeller({ world }: TestService): Promise<number> {
  const { id } = await world.db.one<{ id: string }>(sql`select a.seller_id as id from apps a
    where a.slug = 'tidepool'`)
  return 0 - (await ledger.balanceOf(world.db, 'seller_payable', id))
}

/** The charge of the latest invoice of a license. */
export async function latestCharge(
  { world }: TestService,
  { license_id }: Bought,
): Promise<payments.Charge> {
  const { id } = await world.db.one<{ id: InvoiceId }>(sql`select id from invoices
    where license_id = ${license_id} and status = 'paid' order by number desc limit 1`)
  return (await payments.chargeOf(world.db, id))!
}
