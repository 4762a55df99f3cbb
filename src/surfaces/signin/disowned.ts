import { formatMoney } from '#design/money'
import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import { refundCharge } from '#flows/refund'
import { DISOWNED } from '#flows/sign-in'
import { setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import { raiseAlarm } from '#platform/alarms'
import { sum } from '#platform/money'

const REASON = 'The owner of the email reported that they did not make this purchase.'

/**
 * Ends what a disowned account pays for: auto-renew is turned off, payments of the last 14 days are
 * refunded, and staff decide about the others. Safe to repeat: it is repeated while a refund waits
 * for its answer, because more may be left, or the processor may refuse.
 */
export function undoDisowned(world: World): void {
  world.jobs.handle(DISOWNED, async (person) => {
    const { db } = world
    for (const { license_id } of await licensing.liveLicensesOf(db, person.user_id)) {
      const buyer = { ...person, kind: 'buyer' } as const
      await setAutoRenew(world, buyer, { license_id, to: 'off', is_disowned: true })
    }
    let isWaiting = false
    for (const invoice of await billing.paidInvoicesOf(db, person.user_id)) {
      const requested = { invoice_id: invoice.id, reason: REASON }
      const refund = await refundCharge(world, { ...person, kind: 'buyer' }, requested)
      const refusal = refund.outcome === 'refused' ? refund.refusal : undefined
      const needsStaff =
        refund.outcome === 'refused_by_processor' ||
        (refusal !== undefined && ['too_late', 'disputed'].includes(refusal))
      if (needsStaff) await openCase(world, invoice)
      isWaiting ||= refund.outcome === 'processing' || refusal === 'in_progress'
    }
    if (isWaiting) throw new Error('a disowned purchase waits for a refund')
  })
}

async function openCase(
  { db, random, clock }: World,
  { id, number, amount, tax }: billing.Invoice,
): Promise<void> {
  const charged = formatMoney(sum(amount, tax))
  await raiseAlarm(db, random, clock.now(), {
    kind: 'disowned_purchase',
    subject: id,
    message:
      `${billing.invoiceNumber(number)} over ${charged}: ${REASON} The automatic refund was not ` +
      'possible. Decide whether to refund.',
    href: `/admin/sales/${id}/`,
  })
}
