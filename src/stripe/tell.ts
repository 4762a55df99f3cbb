import type { Stripe } from 'stripe'
import type { DisputeReason, ProcessorEvent } from '#domain/payments'
import { cents } from '#platform/money'
import { idOf } from './card.ts'
import { payeeOf } from './payees.ts'

type Untimed<Event> = Event extends ProcessorEvent ? Omit<Event, 'id' | 'at'> : never

/** What an event says, apart from its id and its time. */
export type Told = Untimed<ProcessorEvent>

/** An event of Stripe's as it is stored: no more of it than the service needs. */
export interface Telling {
  /** What it is about: a dispute, a refund, a payout, an account. */
  object_id: string
  /** When it happened, in seconds; of one second, an end comes after the rest. */
  at: number
  is_end: boolean
  told: Told
  /** How a dispute began, for when its end arrives first. */
  began?: Told
}

/** The kinds of events that Stripe is to send; others are answered and forgotten. */
export const KINDS = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'refund.updated',
  'refund.failed',
  'payout.paid',
  'payout.failed',
  'account.updated',
] as const

/**
 * What an event of Stripe's says to the service, or undefined where that is nothing: refunds,
 * payouts and accounts that were not asked for by us are none of ours.
 */
export function tellingOf(event: Stripe.Event): Telling | undefined {
  switch (event.type) {
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
      return ofDispute(event)
    case 'refund.updated':
    case 'refund.failed':
      return ofRefund(event, event.data.object)
    case 'payout.paid':
    case 'payout.failed':
      return ofPayout(event, event.data.object)
    case 'account.updated': {
      const account = event.data.object
      if (!account.metadata?.owner) return undefined
      const told = { kind: 'account_changed', account_id: account.id } as const
      return telling(event, account.id, { ...told, account: payeeOf(account) })
    }
    default:
      return undefined
  }
}

function telling(event: Stripe.Event, object_id: string, told: Told, is_end = false): Telling {
  return { object_id, at: event.created, is_end, told }
}

type DisputeEvent =
  | Stripe.ChargeDisputeCreatedEvent
  | Stripe.ChargeDisputeUpdatedEvent
  | Stripe.ChargeDisputeClosedEvent

function ofDispute(event: DisputeEvent): Telling | undefined {
  const dispute = event.data.object
  const began = beginningOf(dispute)
  if (!began) return undefined
  switch (event.type) {
    case 'charge.dispute.created':
      return telling(event, dispute.id, began)
    case 'charge.dispute.updated': {
      // An inquiry that became a dispute is the one change that matters.
      const before = event.data.previous_attributes?.status
      const isEscalated = before?.startsWith('warning_') && dispute.status === 'needs_response'
      return isEscalated ? telling(event, dispute.id, began) : undefined
    }
    case 'charge.dispute.closed': {
      const outcome = OUTCOMES[dispute.status]
      if (!outcome) return undefined
      const told = { kind: 'dispute_closed', dispute_id: dispute.id, outcome } as const
      return { ...telling(event, dispute.id, told, true), began }
    }
  }
}

// An inquiry that was closed took no money.
const OUTCOMES: Record<string, 'won' | 'lost'> = {
  won: 'won',
  warning_closed: 'won',
  lost: 'lost',
}

const REASONS: Record<string, DisputeReason> = {
  fraudulent: 'fraudulent',
  product_not_received: 'product_not_received',
  product_unacceptable: 'product_unacceptable',
  duplicate: 'duplicate',
  subscription_canceled: 'subscription_canceled',
  credit_not_processed: 'credit_not_processed',
  unrecognized: 'unrecognized',
}

function beginningOf(dispute: Stripe.Dispute): Told | undefined {
  const charge_id = idOf(dispute.payment_intent)
  if (!charge_id) return undefined
  const due_by = dispute.evidence_details.due_by ?? dispute.created
  return {
    kind: 'dispute_opened',
    dispute_id: dispute.id,
    charge_id,
    amount: cents(dispute.amount),
    reason: REASONS[dispute.reason] ?? 'general',
    is_inquiry: dispute.status.startsWith('warning_'),
    due_at: new Date(due_by * 1000),
  }
}

function ofRefund(event: Stripe.Event, refund: Stripe.Refund): Telling | undefined {
  const { id, status, metadata } = refund
  if (!metadata?.key) return undefined
  if (status === 'succeeded') {
    return telling(event, id, { kind: 'refund_settled', refund_id: id, outcome: 'succeeded' })
  }
  if (status !== 'failed' && status !== 'canceled') return undefined
  return telling(event, id, { kind: 'refund_settled', refund_id: id, outcome: 'failed' }, true)
}

function ofPayout(event: Stripe.Event, payout: Stripe.Payout): Telling | undefined {
  const { id, failure_message, failure_code, metadata } = payout
  if (!metadata?.key) return undefined
  if (event.type === 'payout.paid') {
    return telling(event, id, { kind: 'payout_settled', payout_id: id, outcome: 'paid' })
  }
  const reason = failure_message ?? failure_code ?? 'The bank sent the money back.'
  return telling(
    event,
    id,
    { kind: 'payout_settled', payout_id: id, outcome: 'failed', reason },
    true,
  )
}

/** What was stored, as it was: JSON knows no dates. */
export function revived(told: Told): Told {
  return told.kind === 'dispute_opened' ? { ...told, due_at: new Date(told.due_at) } : told
}
