import type { ProcessorId } from '#platform/ids'
import type { Cents } from '#platform/money'

/** A payee's account at the processor: money can be sent there once it is ready. */
export interface PayeeAccount {
  is_ready: boolean
  bank_name: string | null
  bank_last4: string | null
  /** The same for the same account number in every entry; null while there is no bank. */
  bank_fingerprint: string | null
}

/** Why a buyer disputes a charge, in the processor's published codes. */
export type DisputeReason =
  | 'fraudulent'
  | 'product_not_received'
  | 'product_unacceptable'
  | 'duplicate'
  | 'subscription_canceled'
  | 'credit_not_processed'
  | 'unrecognized'
  | 'general'

type WithoutIdAndTime<Event> = Event extends unknown ? Omit<Event, 'id' | 'at'> : never

/** The content of a processor's event, apart from its id and its time. */
export type EventContent = WithoutIdAndTime<ProcessorEvent>

/** An event of the processor. Its id makes sure that it is handled once. */
export type ProcessorEvent = { id: string; at: Date } & (
  | {
      kind: 'dispute_opened'
      dispute_id: ProcessorId
      charge_id: ProcessorId
      amount: Cents
      reason: DisputeReason
      /** An inquiry moves no money yet. */
      is_inquiry: boolean
      due_at: Date
    }
  /** Decided; reported again with the other outcome if an appeal reverses it. */
  | { kind: 'dispute_closed'; dispute_id: ProcessorId; outcome: 'won' | 'lost' }
  /** A refund that was made at the processor itself, not at our request. */
  | {
      kind: 'refund_made'
      refund_id: ProcessorId
      charge_id: ProcessorId
      amount: Cents
      status: 'succeeded' | 'pending'
    }
  | { kind: 'refund_settled'; refund_id: ProcessorId; outcome: 'succeeded' | 'failed' }
  | {
      kind: 'payout_settled'
      /** The key of its request. */
      key: string
      payout_id: ProcessorId
      outcome: 'paid' | 'failed'
      reason?: string
      /** Whether one that failed was canceled, and not returned by the bank. */
      is_canceled?: boolean
    }
  | { kind: 'account_changed'; account_id: ProcessorId; account: PayeeAccount }
  /** A notice that changes nothing in the books, for staff to act on. */
  | { kind: 'notice'; subject: string; message: string; charge_id?: ProcessorId }
)
