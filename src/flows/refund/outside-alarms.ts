import { formatMoney } from '#design/money'
import * as billing from '#domain/billing'
import type * as payments from '#domain/payments'
import { excessOf } from '#flows/charge-balances'
import type { LockedCharge } from '#flows/locked-charge'
import { lostCredit } from '#flows/period-credit'
import type { World } from '#flows/world'
import { type AlarmKind, clearAlarm, raiseAlarm } from '#platform/alarms'
import type { Db } from '#platform/db'
import type { LicenseId } from '#platform/ids'
import { type Cents, cents, ZERO } from '#platform/money'

/** A refund that was made at the processor, and what staff have to know of it. */
interface MadeOutside {
  refund_id: string
  amount: Cents
  /** What of it exceeds the rest of the charge. */
  beyond: Cents
  notes: string[]
}

/**
 * Notifies staff of a refund that was made at the processor: one alarm says what it changed,
 * another one asks for what the buyer received in excess by it, until that is settled.
 */
export async function alertMadeOutside(
  world: World,
  tx: Db,
  { charge, invoice, locked }: LockedCharge,
  { refund_id, amount, beyond, notes }: MadeOutside,
): Promise<void> {
  const raise = async (kind: AlarmKind, texts: string[]) => {
    if (texts.length === 0) return
    const made = `${formatMoney(amount)} was refunded at the payment processor, not in Purser.`
    await raiseAlarm(tx, world.random, locked.now, {
      kind,
      subject: refund_id,
      href: `/admin/sales/${invoice.id}/`,
      message: [made, ...texts].join(' '),
    })
  }
  const excess = beyond > ZERO ? await excessOf(tx, { charge_id: charge.id, ...invoice }) : ZERO
  const asked = cents(Math.min(beyond, excess))
  const deducted = cents(beyond - asked)
  const exceeds =
    `${formatMoney(beyond)} of it exceeds what was left of the charge: the buyer received it ` +
    'twice, and Purser bears it.'
  if (asked === ZERO && beyond > ZERO) {
    await raise('refund_made_outside', [
      `${exceeds} It is deducted from what they are owed.`,
      ...notes,
    ])
    return
  }
  await raise('refund_made_outside', notes)
  const ask =
    deducted > ZERO
      ? `${formatMoney(deducted)} is deducted from what they are owed. Ask the buyer to return ` +
        `the other ${formatMoney(asked)}, and record what they repay in Cases.`
      : 'Ask the buyer to return it, and record what they repay in Cases.'
  await raise('refund_in_excess', beyond > ZERO ? [exceeds, ask] : [])
}

/**
 * The card returned a refund: alarms about it end. If it was made at the processor, and an upgrade
 * had consumed the payment as credit, another alarm says what to do before the buyer is paid.
 */
export async function alertReturned(
  { random }: World,
  tx: Db,
  { invoice, locked }: LockedCharge,
  { refund_id: subject, refund }: { refund_id: string; refund?: payments.Refund },
): Promise<void> {
  const { now } = locked
  await clearAlarm(tx, now, { kind: 'refund_in_excess', subject })
  await clearAlarm(tx, now, { kind: 'refund_made_outside', subject })
  if (refund?.requested_by !== 'processor') return
  const upgrade = await lastUpgrade(tx, invoice.license_id)
  const lost = upgrade ? await lostCredit(tx, upgrade.paid, upgrade.before) : ZERO
  if (!upgrade || lost === ZERO) return
  // Raised where the upgrade was paid after the refund.
  await clearAlarm(tx, now, { kind: 'refund_made_outside', subject: upgrade.paid.id })
  await raiseAlarm(tx, random, now, {
    kind: 'refund_made_outside',
    subject,
    href: `/admin/sales/${invoice.id}/`,
    message:
      `The card returned ${formatMoney(refund.amount)} that was refunded at the payment ` +
      'processor, not in Purser: the buyer is owed it. An upgrade had consumed ' +
      `${formatMoney(lost)} of the payment as credit: before you pay the buyer, ask the seller ` +
      'whether they may keep that.',
  })
}

/** How much of the credit of the current period's upgrade is no longer kept, in cents. */
export async function creditLost(tx: Db, license_id: LicenseId): Promise<Cents> {
  const upgrade = await lastUpgrade(tx, license_id)
  return upgrade ? await lostCredit(tx, upgrade.paid, upgrade.before) : ZERO
}

/** The upgrade of the current period, and the invoice that was paid before it, if any. */
async function lastUpgrade(tx: Db, license_id: LicenseId) {
  const paid = await billing.lastPaidInvoice(tx, license_id)
  const before = paid?.kind === 'upgrade' ? await billing.paidBefore(tx, paid) : undefined
  return paid && before && { paid, before }
}
