import type { Stripe } from 'stripe'
import type { ProcessorRecord, ProcessorRecords } from '#domain/payments'
import { cents, ZERO } from '#platform/money'
import { idOf, whole } from './card.ts'
import type { StripeParts } from './client.ts'
import type { CreatedObject } from './idempotent-requests.ts'
import { pagesOf } from './pages.ts'
import { payoutKey } from './payouts.ts'
import * as requests from './requests.ts'

// Stripe reports changes within seconds; if it takes longer than this, the event was lost.
const REPORTED_WITHIN_MS = 60 * 60 * 1000

/** Stripe's records of our requests, and of their payments. */
export function openRecords(parts: StripeParts): ProcessorRecords {
  return {
    charges: (...within) => listCharges(parts, within),
    refunds: (...within) => listRefunds(parts, within),
    payouts: (...within) => listPayouts(parts, within),
    disputes: (...within) => listDisputes(parts, within),
  }
}

type Within = readonly [from: Date, before: Date]

async function* listCharges(parts: StripeParts, within: Within): AsyncIterable<ProcessorRecord> {
  const { paymentIntents } = parts.stripe
  for await (const page of pagesOf(parts, 'charges', within, (request) =>
    paymentIntents.list(request),
  )) {
    const keys = await keysOf(parts, page)
    for (const { id, status, amount_received, created } of page) {
      const key = keys.get(id)
      if (!key || status !== 'succeeded' || amount_received === 0) continue
      const amount = cents(amount_received)
      yield { id, key, at: timeOf(created), amount, moved: amount, is_unconfirmed: false }
    }
  }
}

async function* listRefunds(parts: StripeParts, within: Within): AsyncIterable<ProcessorRecord> {
  const { refunds } = parts.stripe
  for await (const page of pagesOf(parts, 'refunds', within, (request) =>
    refunds.list({ ...request, expand: ['data.failure_balance_transaction'] }),
  )) {
    const keys = await keysOf(parts, page)
    const payments = await paymentsOf(parts, page)
    for (const refund of page) {
      const { id, status, created } = refund
      const key = keys.get(id) ?? null
      if (!key && !payments.has(idOf(refund.payment_intent) ?? '')) continue
      const isReturned = status === 'failed' || status === 'canceled'
      const changed = whole(refund.failure_balance_transaction)?.created ?? created
      const amount = cents(refund.amount)
      yield {
        id,
        key,
        at: timeOf(created),
        amount,
        moved: isReturned ? ZERO : cents(0 - amount),
        is_unconfirmed: (isReturned || !key) && isRecent(parts, changed),
      }
    }
  }
}

/**
 * A payout is a transfer to the payee's account and, with a key of its own, a payout to their bank.
 */
async function* listPayouts(parts: StripeParts, within: Within): AsyncIterable<ProcessorRecord> {
  const { transfers } = parts.stripe
  for await (const page of pagesOf(parts, 'payouts', within, (request) =>
    transfers.list(request),
  )) {
    const keys = await keysOf(parts, page)
    const payout_keys = [...keys.values()].map(payoutKey)
    const sent = await requests.findAll(parts.db, { keys: payout_keys, object_ids: [] })
    const ids = new Map(sent.map(({ key, object_id }) => [key, object_id]))
    for (const { id, created, amount, amount_reversed, reversals } of page) {
      const key = keys.get(id)
      if (!key) continue
      const [reversal] = reversals.data
      yield {
        id: ids.get(payoutKey(key)) ?? null,
        key,
        at: timeOf(created),
        amount: cents(amount),
        moved: cents(amount_reversed - amount),
        is_unconfirmed: reversal !== undefined && isRecent(parts, reversal.created),
      }
    }
  }
}

async function* listDisputes(parts: StripeParts, within: Within): AsyncIterable<ProcessorRecord> {
  const { disputes } = parts.stripe
  for await (const page of pagesOf(parts, 'disputes', within, (request) =>
    disputes.list(request),
  )) {
    const payments = await paymentsOf(parts, page)
    for (const { id, created, amount, payment_intent, balance_transactions } of page) {
      if (!payments.has(idOf(payment_intent) ?? '')) continue
      const changed = Math.max(created, ...balance_transactions.map((each) => each.created))
      yield {
        id,
        key: null,
        at: timeOf(created),
        amount: cents(amount),
        moved: cents(balance_transactions.reduce((sum, each) => sum + each.amount, 0)),
        is_unconfirmed: isRecent(parts, changed),
      }
    }
  }
}

/** The keys of objects; objects of other software on the account are omitted. */
async function keysOf({ db }: StripeParts, made: CreatedObject[]): Promise<Map<string, string>> {
  const keys = made.flatMap(({ metadata }) => metadata?.key ?? [])
  const known = await requests.findAll(db, { keys, object_ids: made.map(({ id }) => id) })
  const byKey = new Set(known.map(({ key }) => key))
  const byObject = new Map(known.map(({ key, object_id }) => [object_id, key]))
  return new Map(
    made.flatMap(({ id, metadata }) => {
      const named =
        metadata?.key !== undefined && byKey.has(metadata.key) ? metadata.key : undefined
      const key = byObject.get(id) ?? named
      return key === undefined ? [] : [[id, key]]
    }),
  )
}

/** Our payments among those that refunds or disputes are about. */
async function paymentsOf(
  { db }: StripeParts,
  about: Pick<Stripe.Dispute, 'payment_intent'>[],
): Promise<Set<string | null>> {
  const object_ids = about.flatMap(({ payment_intent }) => idOf(payment_intent) ?? [])
  const known = await requests.findAll(db, { keys: [], object_ids })
  return new Set(known.map(({ object_id }) => object_id))
}

function timeOf(seconds: number): Date {
  return new Date(seconds * 1000)
}

function isRecent({ clock }: StripeParts, seconds: number): boolean {
  return seconds * 1000 > clock.now().getTime() - REPORTED_WITHIN_MS
}
