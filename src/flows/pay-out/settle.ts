import { formatMoney } from '#design/money'
import * as affiliates from '#domain/affiliates'
import * as ledger from '#domain/ledger'
import * as payments from '#domain/payments'
import * as payouts from '#domain/payouts'
import * as sellers from '#domain/sellers'
import { payeeTime, type World } from '#flows/world'
import { clearAlarm, raiseAlarm } from '#platform/alarms'
import { addSeconds } from '#platform/calendar'
import type { Db } from '#platform/db'
import { queueEmailOnce } from '#platform/email-queue'
import { mintId, type PayeeId, type PayoutId, type ProcessorId, readId } from '#platform/ids'
import type { Cents } from '#platform/money'

/** The outcome of a payout request. */
export type PayoutOutcome =
  | { outcome: 'paid' | 'pending' | 'failed' | 'processing'; payout_id: PayoutId }
  /** The service's balance does not cover the payout yet. It is paid as soon as it does. */
  | { outcome: 'waiting'; payout_id: PayoutId }
  /** Another payout to the same payee is waiting for the processor's answer. */
  | { outcome: 'in_progress'; payout_id: PayoutId }
  /** The balance is less than the smallest payout, or the payee owes the service. */
  | { outcome: 'too_little' }
  /** Staff have paused the payee's payouts. */
  | { outcome: 'paused' }
  /** No bank account was added yet. */
  | { outcome: 'no_bank' }

/** The status of a payout that the processor made. */
type MadeStatus = 'pending' | 'paid' | 'failed'

/** What the processor says of a payout. */
export interface ReportedPayout {
  status: MadeStatus
  payout_id?: ProcessorId
  reason?: string
  /** Whether it was canceled at the processor, and not returned by the bank. */
  is_canceled?: boolean
}

/** Asks the processor to pay, and records its answer; without an answer it is retried later. */
export async function requestAndSettle(
  world: World,
  payout: payouts.Payout,
): Promise<PayoutOutcome> {
  const { id: payout_id, owner, amount, number } = payout
  const now = await payeeTime(world, owner)
  const bank = (await payouts.findAccount(world.db, owner))!
  try {
    const answer = await world.processor.payOut(now, {
      key: payout_id,
      amount,
      account_id: bank.processor_account_id,
      description: `Purser payout ${number}`,
    })
    if (answer.status === 'short') return await waitForFunds(world, payout, now, answer.available)
    return { outcome: await recordStatus(world, payout, answer), payout_id }
  } catch (error) {
    if (error instanceof payments.ProcessorRefused) {
      return await retryRefused(world, payout, now, error.message)
    }
    if (!(error instanceof payments.ProcessorUnreachable)) throw error
    world.log.warn({ payout_id }, 'the processor did not answer a payout')
    return { outcome: 'processing', payout_id }
  }
}

/** The balance does not cover a payout: it stays recorded, staff are alerted, and it is retried. */
async function waitForFunds(
  world: World,
  { id: payout_id }: payouts.Payout,
  now: Date,
  available: Cents,
): Promise<PayoutOutcome> {
  const { db, random, clock } = world
  const retry_at = addSeconds(now, RETRY_SECONDS)
  await payouts.postpone(db, payout_id, { retry_at, refusal: null })
  const { count, amount } = await payouts.waitingForFunds(db)
  const waiting = count === 1 ? '1 payout is waiting' : `${count} payouts are waiting`
  await raiseAlarm(db, random, clock.now(), {
    ...SHORT,
    message:
      `${waiting} for funds: ${formatMoney(amount)} in total, and ${formatMoney(available)} ` +
      'is available at the processor. Add funds there, or wait until recent charges are ' +
      'available. Payouts are retried every hour.',
  })
  world.log.warn({ payout_id, available }, 'the balance does not cover a payout; will retry')
  return { outcome: 'waiting', payout_id }
}

/**
 * The processor refused a payout, and its adapter has alerted staff: it stays recorded, and is
 * retried. It has not failed, as a transfer may have been made for it that cannot be reversed.
 */
async function retryRefused(
  world: World,
  { id: payout_id }: payouts.Payout,
  now: Date,
  refusal: string,
): Promise<PayoutOutcome> {
  const retry_at = addSeconds(now, RETRY_SECONDS)
  await payouts.postpone(world.db, payout_id, { retry_at, refusal })
  // It may have waited for funds until now.
  await clearIfCovered(world)
  world.log.warn({ payout_id, reason: refusal }, 'the processor refused a payout; will retry')
  return { outcome: 'processing', payout_id }
}

const SHORT = { kind: 'balance_short', subject: 'processor' } as const
const RETRY_SECONDS = 3600

/** Ends the alert once no payout waits for funds. */
async function clearIfCovered({ db, clock }: World): Promise<void> {
  const { count } = await payouts.waitingForFunds(db)
  if (count === 0) await clearAlarm(db, clock.now(), SHORT)
}

/** What each status may become. A bank may return a payout after it was paid; that is final. */
const MAY_BECOME: Record<MadeStatus, readonly MadeStatus[]> = {
  pending: ['paid', 'failed'],
  paid: ['failed'],
  failed: [],
}

/**
 * Records the status of a payout with its effects, and returns the recorded status. A repeated call
 * changes nothing.
 */
export async function recordStatus(
  world: World,
  { id, owner }: Pick<payouts.Payout, 'id' | 'owner'>,
  { status, payout_id, reason, is_canceled }: ReportedPayout,
): Promise<MadeStatus> {
  const now = await payeeTime(world, owner)
  const recorded_status = await world.db.tx(async (tx) => {
    const { status: before } = await payouts.lockPayout(tx, id)
    if (before !== 'open' && !MAY_BECOME[before].includes(status)) return before
    const answer = { status, payout_id, failure: reason }
    const recorded = await payouts.recordPayout(tx, now, id, answer)
    if (status === 'failed') {
      await returnToBalance(world, tx, now, recorded)
      // The same bank would return the next one as well.
      if (!recorded.was_refused && !is_canceled) await awaitOtherBank(tx, now, recorded)
      if (await hasLeft(tx, owner)) await alertStaff(world, tx, recorded)
    }
    if (status !== 'pending') {
      const kind = `payout_${status}` as const
      await queueEmailOnce(tx, now, world, { kind, subject_id: id })
    }
    return status
  })
  await clearIfCovered(world)
  return recorded_status
}

/**
 * A returned amount is owed again. Its lines stay with the payout, so that its statement stays
 * correct.
 */
async function returnToBalance({ random }: World, tx: Db, now: Date, payout: payouts.Payout) {
  const { id: payout_id, owner, account, amount } = payout
  const posting = ledger.payoutFailed({ payout_id, owner, account, amount })
  await ledger.post(tx, now, mintId(random, 'txn'), posting)
}

/** Asks the payee about the bank, unless they entered another one since the payout was made. */
async function awaitOtherBank(tx: Db, now: Date, payout: payouts.Payout): Promise<void> {
  const { owner, bank_fingerprint } = payout
  const account = await payouts.lockAccount(tx, owner)
  if (account?.bank_fingerprint === bank_fingerprint) await payouts.awaitBank(tx, now, owner)
}

/** Whether a payee deleted their account, so that no email reaches them. */
async function hasLeft(tx: Db, owner: PayeeId): Promise<boolean> {
  const affiliate_id = readId('aff', owner)
  if (affiliate_id) return await affiliates.isRetired(tx, affiliate_id)
  const seller_id = readId('sel', owner)
  return seller_id !== undefined && (await sellers.membersOf(tx, seller_id)).length === 0
}

async function alertStaff({ clock, random }: World, tx: Db, payout: payouts.Payout): Promise<void> {
  const { owner, number, was_refused } = payout
  const amount = formatMoney(payout.amount)
  const ended = was_refused
    ? `Payout ${number} of ${amount} failed`
    : `The bank returned payout ${number} of ${amount}`
  await raiseAlarm(tx, random, clock.now(), {
    kind: 'payee_left',
    subject: owner,
    message:
      `${ended}, and the payee has deleted their account. Ask the processor how to reach them. ` +
      'If that fails, report the amount as unclaimed property.',
    href: '/admin/payouts/?status=failed',
  })
}
