import type { Stripe } from 'stripe'
import type { PayoutAnswer, PayoutRequest } from '#domain/payments'
import { mintId } from '#platform/ids'
import type { Cents } from '#platform/money'
import { readBalance } from './balance.ts'
import { callStripe, isRefusal, type Refusal, reportRefusal, type StripeParts } from './client.ts'
import { sendOnce } from './idempotent-requests.ts'
import * as requests from './requests.ts'

// Refusals about the payee's account, which the payee can resolve.
const PAYEE_REFUSALS = [
  'insufficient_capabilities_for_transfer',
  'payouts_not_allowed',
  'payouts_limit_exceeded',
]

/** Thrown if the balance does not cover a transfer, before it is requested. */
class InsufficientBalance extends Error {
  readonly available: Cents

  constructor(available: Cents) {
    super('the balance does not cover the transfer')
    this.available = available
  }
}

/**
 * Pays out in two steps: a transfer to the payee's account, and a payout to their bank, which can
 * fail later. If it fails, the transfer is reversed before the failure is reported, so that the
 * books and the balance agree. Throws Stripe's refusal if the transfer cannot be reversed.
 */
export async function payOut(
  parts: StripeParts,
  now: Date,
  request: PayoutRequest,
): Promise<PayoutAnswer> {
  let transfer: Stripe.Transfer
  try {
    transfer = await sendTransfer(parts, now, request)
  } catch (error) {
    if (error instanceof InsufficientBalance) return { status: 'short', available: error.available }
    if (!isRefusal(error)) throw error
    if (error.code === 'balance_insufficient') {
      await requests.recordRefusal(parts.db, request.key)
      return { status: 'short', available: (await readBalance(parts)).available }
    }
    return await answerOfRefusal(parts, error)
  }
  if (transfer.reversed) return { status: 'failed', reason: 'The transfer was reversed.' }
  return await sendPayout(parts, now, request, transfer.id)
}

/** The answer to a refusal. Staff are alerted, unless the payee can resolve its cause. */
async function answerOfRefusal(parts: StripeParts, error: Refusal): Promise<PayoutAnswer> {
  if (!PAYEE_REFUSALS.includes(error.code ?? '')) await reportRefusal(parts, 'a payout', error)
  return { status: 'failed', reason: error.message }
}

async function sendTransfer(
  parts: StripeParts,
  now: Date,
  { key, ...body }: PayoutRequest,
): Promise<Stripe.Transfer> {
  const { transfers } = parts.stripe
  const { amount, account_id: destination, description } = body
  return await sendOnce(
    parts,
    now,
    { key, kind: 'transfer', body },
    {
      create: async ({ refusals }) => {
        const { available } = await readBalance(parts)
        if (available < amount) throw new InsufficientBalance(available)
        return await transfers.create(
          { amount, currency: 'usd', destination, description, metadata: { key } },
          // Stripe repeats a refusal as long as it stores its key.
          { idempotencyKey: refusals === 0 ? key : `${key}:${refusals}` },
        )
      },
      retrieve: (id) => transfers.retrieve(id),
      list: () => transfers.list({ destination, limit: 100 }),
    },
  )
}

const PAYOUT_SUFFIX = ':payout'

/** The key of the payout to the bank, from the key of its transfer. */
export function payoutKey(transfer_key: string): string {
  return `${transfer_key}${PAYOUT_SUFFIX}`
}

/** The key of the transfer, from that of its payout to the bank; undefined for another key. */
export function transferKey(payout_key = ''): string | undefined {
  if (!payout_key.endsWith(PAYOUT_SUFFIX)) return undefined
  return payout_key.slice(0, -PAYOUT_SUFFIX.length)
}

async function sendPayout(
  parts: StripeParts,
  now: Date,
  { key: payout_key, amount, account_id, description }: PayoutRequest,
  transfer_id: string,
): Promise<PayoutAnswer> {
  const { payouts } = parts.stripe
  const key = payoutKey(payout_key)
  const on_account = { stripeAccount: account_id }
  const statement_descriptor = description.replaceAll(/[<>\\'"*]/g, '').slice(0, 22)
  const fields = { amount, currency: 'usd', description, statement_descriptor, metadata: { key } }
  let payout: Stripe.Payout
  try {
    payout = await sendOnce(
      parts,
      now,
      { key, kind: 'payout', body: { account_id, transfer_id } },
      {
        create: () => payouts.create(fields, { ...on_account, idempotencyKey: key }),
        retrieve: (id) => payouts.retrieve(id, {}, on_account),
        list: () => payouts.list({ limit: 100 }, on_account),
      },
    )
  } catch (error) {
    if (!isRefusal(error)) throw error
    await reverse(parts, transfer_id)
    return await answerOfRefusal(parts, error)
  }
  if (payout.status === 'failed' || payout.status === 'canceled') {
    await reverse(parts, transfer_id)
    const reason = payout.failure_message ?? payout.status
    return { status: 'failed', reason, payout_id: payout.id }
  }
  return { status: payout.status === 'paid' ? 'paid' : 'pending', payout_id: payout.id }
}

/** Reverses the transfer of a failed payout; false if the payout is not ours. */
export async function reverseTransfer(parts: StripeParts, payout_id: string): Promise<boolean> {
  const request = await requests.findByObject(parts.db, payout_id)
  const { transfer_id } = Object(request?.body)
  if (typeof transfer_id !== 'string') return false
  await reverse(parts, transfer_id)
  return true
}

async function reverse({ stripe, random }: StripeParts, transfer_id: string): Promise<void> {
  const { reversed } = await callStripe(() => stripe.transfers.retrieve(transfer_id))
  if (reversed) return
  // A new key, because Stripe repeats a refusal as long as it stores the key. A second reversal of
  // the same transfer is refused.
  const idempotencyKey = mintId(random, 'reversal')
  await callStripe(() => stripe.transfers.createReversal(transfer_id, {}, { idempotencyKey }))
}
