import * as payments from '#domain/payments'
import { closeCartAttempt } from '#flows/checkout'
import { stuckBefore } from '#flows/lost-answer'
import { noteAttemptClosed, type StaffWithReason } from '#flows/staff-actions'
import { closeInvoiceAttempt } from '#flows/subscription'
import type { World } from '#flows/world'

/** Payment attempts that have been open for an hour. */
export async function stuckAttempts(world: World): Promise<payments.OpenAttempt[]> {
  return await payments.listStuck(world.db, stuckBefore(world))
}

/** Closes a payment attempt for staff; says by which note what came of it. */
export async function closeAttempt(
  world: World,
  staff: StaffWithReason,
  { attempt_id, nothing_charged }: { attempt_id: string; nothing_charged: boolean },
): Promise<string> {
  const attempt = await payments.findOpenAttempt(world.db, attempt_id)
  if (!attempt) return 'nothing'
  await noteAttemptClosed(world, staff, { attempt_id, nothing_charged })
  const { id, cart_id, invoice_id } = attempt
  const settled = invoice_id
    ? await closeInvoiceAttempt(world, { id, invoice_id }, { nothing_charged })
    : await closeCartAttempt(world, { id, cart_id: cart_id! }, { nothing_charged })
  if (!settled) return 'unanswered'
  const isCharged = settled.outcome === 'paid' || settled.outcome === 'completed'
  return isCharged ? 'was_charged' : 'attempt_closed'
}
