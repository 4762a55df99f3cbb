import type { Stripe } from 'stripe'
import { formatMoney } from '#design/money'
import type { DisputeReason, EventContent } from '#domain/payments'
import { cents } from '#platform/money'
import { idOf } from './card.ts'
import { stageOf } from './dispute-status.ts'
import { payeeOf } from './payees.ts'
import { transferKey } from './payouts.ts'

/** The content of an event, without its ID and time. */
export type AnnouncedEvent =
  | EventContent
  /** A charge was refunded; the refunds are read from Stripe later. */
  | { kind: 'charge_refunded'; charge_id: string }

/** A Stripe event as it is stored, reduced to what the service needs. */
export interface ParsedEvent {
  /** The ID of the dispute, refund, payout or account. */
  object_id: string
  /** When it happened, in seconds; within a second, final events come last. */
  at: number
  is_end: boolean
  content: AnnouncedEvent
  /** The opening of a dispute, in case its end arrives first. */
  opening?: AnnouncedEvent
  /** Only reported if the opening of the dispute was. */
  if_opened?: true
  /** The charge of a refund that may not be ours. */
  charge_id?: string
}

/** The event types to subscribe to for the account itself; others are acknowledged and ignored. */
export const OWN_KINDS = [
  'charge.dispute.created',
  'charge.dispute.updated',
  'charge.dispute.closed',
  'charge.refunded',
  'radar.early_fraud_warning.created',
  'refund.updated',
  'refund.failed',
] as const

/** The event types to subscribe to for connected accounts. */
export const CONNECT_KINDS = [
  'account.updated',
  'payout.paid',
  'payout.failed',
  'payout.canceled',
] as const

export const KINDS = [...OWN_KINDS, ...CONNECT_KINDS]

/**
 * Parses a Stripe event. Undefined if it is irrelevant: refunds, payouts and accounts that this
 * service did not create are ignored.
 */
export function parseEvent(event: Stripe.Event): ParsedEvent | undefined {
  switch (event.type) {
    case 'charge.dispute.created':
    case 'charge.dispute.updated':
    case 'charge.dispute.closed':
      return parseDispute(event)
    case 'charge.refunded': {
      const charge_id = idOf(event.data.object.payment_intent)
      if (!charge_id) return undefined
      return parsedEvent(event, event.data.object.id, { kind: 'charge_refunded', charge_id })
    }
    case 'radar.early_fraud_warning.created':
      return parseWarning(event)
    case 'refund.updated':
    case 'refund.failed':
      return parseRefund(event, event.data.object)
    case 'payout.paid':
    case 'payout.failed':
    case 'payout.canceled':
      return parsePayout(event, event.data.object)
    case 'account.updated': {
      const account = event.data.object
      if (!account.metadata?.owner) return undefined
      const content = { kind: 'account_changed', account_id: account.id } as const
      return parsedEvent(event, account.id, { ...content, account: payeeOf(account) })
    }
    default:
      return undefined
  }
}

function parsedEvent(
  event: Stripe.Event,
  object_id: string,
  content: AnnouncedEvent,
  is_end = false,
): ParsedEvent {
  return { object_id, at: event.created, is_end, content }
}

type DisputeEvent =
  | Stripe.ChargeDisputeCreatedEvent
  | Stripe.ChargeDisputeUpdatedEvent
  | Stripe.ChargeDisputeClosedEvent

function parseDispute(event: DisputeEvent): ParsedEvent | undefined {
  const dispute = event.data.object
  const opening = openingOf(dispute)
  if (!opening) return undefined
  const stage = stageOf(dispute.status)
  switch (stage) {
    case 'inquiry':
      // The end of an inquiry reports nothing, and its updates are irrelevant.
      return event.type === 'charge.dispute.created'
        ? parsedEvent(event, dispute.id, opening)
        : undefined
    case 'open': {
      if (event.type === 'charge.dispute.created') return parsedEvent(event, dispute.id, opening)
      // The only relevant update is an inquiry that became a dispute.
      const before = event.data.previous_attributes?.status
      const isEscalated = before !== undefined && stageOf(before) === 'inquiry'
      return isEscalated ? parsedEvent(event, dispute.id, opening) : undefined
    }
    case 'won':
    case 'lost':
      return { ...closingEvent(event, stage), opening }
    case 'answered':
      return { ...closingEvent(event, 'won'), opening }
    case 'prevented':
      return { ...closingEvent(event, 'won'), if_opened: true }
    case 'appeal':
      return noticeEvent(
        event,
        `is appealed (${dispute.status}). Answer it in Stripe before it is due.`,
      )
    case undefined:
      return noticeEvent(
        event,
        `has a status that is not known here: ${dispute.status}. Settle it by hand.`,
      )
    default:
      return stage satisfies never
  }
}

function closingEvent(event: DisputeEvent, outcome: 'won' | 'lost'): ParsedEvent {
  const { id: dispute_id } = event.data.object
  return parsedEvent(event, dispute_id, { kind: 'dispute_closed', dispute_id, outcome }, true)
}

/** An event that changes no books and needs staff. */
function noticeEvent(event: DisputeEvent, text: string): ParsedEvent {
  const { id, amount, payment_intent } = event.data.object
  const content = {
    kind: 'notice',
    subject: id,
    charge_id: idOf(payment_intent) ?? '',
    message: `Dispute ${id} over ${formatMoney(cents(amount))} ${text}`,
  } as const
  return parsedEvent(event, id, content)
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

function openingOf(dispute: Stripe.Dispute): AnnouncedEvent | undefined {
  const charge_id = idOf(dispute.payment_intent)
  if (!charge_id) return undefined
  const due_by = dispute.evidence_details.due_by ?? dispute.created
  return {
    kind: 'dispute_opened',
    dispute_id: dispute.id,
    charge_id,
    amount: cents(dispute.amount),
    reason: REASONS[dispute.reason] ?? 'general',
    is_inquiry: ['inquiry', 'answered'].includes(stageOf(dispute.status) ?? ''),
    due_at: new Date(due_by * 1000),
  }
}

/** An early fraud warning: a refund now costs less than the dispute that usually follows. */
function parseWarning(event: Stripe.RadarEarlyFraudWarningCreatedEvent): ParsedEvent | undefined {
  const { id, actionable, payment_intent, fraud_type } = event.data.object
  const charge_id = idOf(payment_intent ?? null)
  if (!actionable || !charge_id) return undefined
  return parsedEvent(event, id, fraudWarning(id, charge_id, fraud_type))
}

function fraudWarning(subject: string, charge_id: string, fraud_type: string) {
  const message =
    `A card network reported a charge as fraud (${fraud_type.replaceAll('_', ' ')}). ` +
    'A dispute is likely; refund the charge in full to avoid it.'
  return { kind: 'notice', subject, charge_id, message } as const
}

function parseRefund(event: Stripe.Event, refund: Stripe.Refund): ParsedEvent | undefined {
  const { id, status } = refund
  const charge_id = idOf(refund.payment_intent)
  if (!refund.metadata?.key && !charge_id) return undefined
  const of = charge_id ? { charge_id } : {}
  if (status === 'succeeded') {
    const content = { kind: 'refund_settled', refund_id: id, outcome: 'succeeded' } as const
    return { ...parsedEvent(event, id, content), ...of }
  }
  if (status !== 'failed' && status !== 'canceled') return undefined
  const content = { kind: 'refund_settled', refund_id: id, outcome: 'failed' } as const
  return { ...parsedEvent(event, id, content, true), ...of }
}

function parsePayout(event: Stripe.Event, payout: Stripe.Payout): ParsedEvent | undefined {
  const { id, failure_message, failure_code, metadata } = payout
  const key = transferKey(metadata?.key)
  if (key === undefined) return undefined
  const settled = { kind: 'payout_settled', key, payout_id: id } as const
  if (event.type === 'payout.paid') return parsedEvent(event, id, { ...settled, outcome: 'paid' })
  const is_canceled = event.type === 'payout.canceled'
  const unexplained = is_canceled ? 'The payout was canceled.' : 'The bank sent the money back.'
  const reason = failure_message ?? failure_code ?? unexplained
  return parsedEvent(event, id, { ...settled, outcome: 'failed', reason, is_canceled }, true)
}

/** Restores the dates of stored content, which JSON stores as strings. */
export function restoreDates(content: AnnouncedEvent): AnnouncedEvent {
  return content.kind === 'dispute_opened'
    ? { ...content, due_at: new Date(content.due_at) }
    : content
}
