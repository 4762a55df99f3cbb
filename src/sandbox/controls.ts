import type { DisputeReason } from '#domain/payments'
import type { Cents } from '#platform/money'
import * as balance from './balance.ts'
import * as entries from './card-entries.ts'
import { findTestCard } from './cards.ts'
import * as charges from './charges.ts'
import * as disputes from './disputes.ts'
import * as events from './events.ts'
import type { SandboxPageOptions } from './page-responses.ts'
import * as payouts from './payouts.ts'
import { refundOutside, remainingAmount } from './refunds.ts'
import * as cards from './stored-cards.ts'

/** What test mode can trigger, unlike a real processor. */
export interface SandboxControls {
  /** Enters a test card on a card page, as a new card that no one has used before. */
  enterCard(now: Date, step: { entry_id: string; number: string }): Promise<void>
  /**
   * Disputes the remaining amount of a charge as its buyer. Undefined if nothing remains, or it was
   * disputed before.
   */
  disputeCharge(
    now: Date,
    step: { charge_id: string; reason: DisputeReason; is_inquiry?: boolean },
  ): Promise<{ dispute_id: string } | undefined>
  /**
   * Decides a dispute as the bank, now. A lost inquiry becomes a dispute. Throws DisputeClosed if
   * it was decided before.
   */
  decideDispute(now: Date, step: { dispute_id: string; outcome: 'won' | 'lost' }): Promise<void>
  /**
   * Refunds a charge as in the processor's dashboard. Undefined if the amount exceeds what remains
   * of it.
   */
  refundOutside(
    now: Date,
    step: { charge_id: string; amount: Cents },
  ): Promise<{ refund_id: string } | undefined>
  /** Reports a charge as fraud, as a card network. */
  warnOfFraud(now: Date, charge_id: string): Promise<void>
  /** Cancels a pending payout, as in the processor's dashboard. */
  cancelPayout(now: Date, payout_id: string): Promise<void>
  /** Reverses a closed dispute on appeal; a closed inquiry becomes a dispute. */
  appealDispute(now: Date, dispute_id: string): Promise<void>
  /** Declines the next `count` renewals with a card, whatever its behavior. */
  declineRenewals(card_token: string, count: number): Promise<void>
  /** Makes all further charges of a card succeed. */
  recoverCard(card_token: string): Promise<void>
  /** Transfers money from the operator's bank to the balance; a negative amount, to the bank. */
  moveFunds(now: Date, amount: Cents): Promise<void>
  /**
   * The time of the next event after a time, or undefined; with `ids`, only of these charges,
   * refunds and payouts.
   */
  nextEventAt(after: Date, ids?: string[]): Promise<Date | undefined>
}

/** The controls, over the sandbox's own tables. */
export function openControls(options: SandboxPageOptions): SandboxControls {
  const { db, random } = options
  return {
    async enterCard(now, { entry_id, number }) {
      const entry = await entries.find(db, entry_id)
      const card = findTestCard(number)
      if (!entry || !card) throw new Error('there is no such page, or no such test card')
      const exp_year = now.getUTCFullYear() + 4
      const read = { card, exp_month: 12, exp_year, zip: entry.zip }
      const stored = { ...cards.storedCardOf(options, read), fingerprint: `scenario ${entry_id}` }
      await entries.use(db, now, entry, stored)
    },
    async disputeCharge(now, { charge_id, reason, is_inquiry = false }) {
      return await db.tx(async (tx) => {
        const charge = await charges.lockSucceeded(tx, charge_id)
        const amount = await remainingAmount(tx, now, charge)
        if (amount <= 0 || (await disputes.ofCharge(tx, charge_id))) return undefined
        const facts = { charge_id, amount, reason, is_inquiry }
        return { dispute_id: await disputes.open(tx, random, now, facts) }
      })
    },
    async decideDispute(now, step) {
      await db.tx((tx) => disputes.decide(tx, random, now, step))
    },
    refundOutside: (now, step) => refundOutside(options, now, step),
    async warnOfFraud(now, charge_id) {
      const message = 'A card network reported a charge as fraud. Refund it to avoid a dispute.'
      const subject = `warning_${charge_id}`
      const content = { kind: 'notice', subject, charge_id, message } as const
      await events.schedule(db, random, now, { id: subject, charge_id }, content)
    },
    cancelPayout: (now, payout_id) => payouts.cancel(options, now, payout_id),
    appealDispute: (now, id) => db.tx((tx) => disputes.appeal(tx, random, now, id)),
    declineRenewals: (card_token, count) => cards.declineRenewals(db, card_token, count),
    moveFunds: (now, amount) => balance.moveFunds(db, random, now, amount),
    recoverCard: (card_token) => cards.recover(db, card_token),
    nextEventAt: (after, ids) => events.nextAt(db, after, ids),
  }
}
