import type { DisputeReason } from '#domain/payments'
import type { Cents } from '#platform/money'
import type { SandboxPageOptions } from './answers.ts'
import * as balance from './balance.ts'
import * as entries from './card-entries.ts'
import { findTestCard } from './cards.ts'
import * as charges from './charges.ts'
import * as disputes from './disputes.ts'
import * as events from './events.ts'
import * as cards from './kept-cards.ts'
import * as payouts from './payouts.ts'
import { leftOf, refundOutside } from './refunds.ts'

/** What can be triggered in test mode with a click, and not at a real processor. */
export interface SandboxControls {
  /**
   * Enters a test card on a page that waits for one: a card of its own kind, which no one else has
   * used before.
   */
  enterCard(now: Date, step: { entry_id: string; number: string }): Promise<void>
  /**
   * Lets the buyer of a charge dispute what is left of it; undefined where nothing is left, or
   * where it was disputed before.
   */
  disputeCharge(
    now: Date,
    step: { charge_id: string; reason: DisputeReason; is_inquiry?: boolean },
  ): Promise<{ dispute_id: string } | undefined>
  /** Lets the bank decide now. A lost inquiry becomes a dispute. DisputeClosed: it has decided. */
  decideDispute(now: Date, step: { dispute_id: string; outcome: 'won' | 'lost' }): Promise<void>
  /**
   * Refunds a charge as in the processor’s own pages; undefined where so much is not
   * left of it.
   */
  refundOutside(
    now: Date,
    step: { charge_id: string; amount: Cents },
  ): Promise<{ refund_id: string } | undefined>
  /** Lets a card network report a charge as fraud. */
  warnOfFraud(now: Date, charge_id: string): Promise<void>
  /** Cancels a payout that is on its way, as in the processor's own pages. */
  cancelPayout(now: Date, payout_id: string): Promise<void>
  /** Lets an appeal decide a closed dispute the other way. */
  appealDispute(now: Date, dispute_id: string): Promise<void>
  /** Makes the next `count` renewals with a card fail, whatever the card does otherwise. */
  declineRenewals(card_token: string, count: number): Promise<void>
  /** Makes a card one that works from here on. */
  recoverCard(card_token: string): Promise<void>
  /** Moves money of the operator's between a bank and the balance; negative: to the bank. */
  moveFunds(now: Date, amount: Cents): Promise<void>
  /**
   * When the next event after a time is due, or undefined where none waits; of these charges,
   * refunds or payouts alone where they are named.
   */
  nextEventAt(after: Date, ids?: string[]): Promise<Date | undefined>
}

/** The scenarios over the sandbox's own tables. */
export function openControls(options: SandboxPageOptions): SandboxControls {
  const { db, random } = options
  return {
    async enterCard(now, { entry_id, number }) {
      const entry = await entries.find(db, entry_id)
      const card = findTestCard(number)
      if (!entry || !card) throw new Error('there is no such page, or no such test card')
      const exp_year = now.getUTCFullYear() + 4
      const read = { card, exp_month: 12, exp_year, zip: entry.zip }
      const kept = { ...cards.keptCard(options, read), fingerprint: `scenario ${entry_id}` }
      await db.tx((tx) => entries.use(tx, now, entry, kept))
    },
    async disputeCharge(now, { charge_id, reason, is_inquiry = false }) {
      return await db.tx(async (tx) => {
        const charge = await charges.lockTaken(tx, charge_id)
        const amount = await leftOf(tx, now, charge)
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
