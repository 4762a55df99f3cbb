import type { Stripe } from 'stripe'
import type { BalanceTransaction, ProcessorBalance } from '#domain/payments'
import type { Db } from '#platform/db'
import { cents } from '#platform/money'
import { idOf } from './card.ts'
import { callStripe, type StripeParts } from './client.ts'
import { pagesOf } from './pages.ts'
import * as requests from './requests.ts'

/** The balance at Stripe in US dollars, in cents. */
export async function readBalance({ stripe }: StripeParts): Promise<ProcessorBalance> {
  const { available, pending } = await callStripe(() => stripe.balance.retrieve())
  const dollars = (all: { amount: number; currency: string }[]) =>
    cents(all.find(({ currency }) => currency === 'usd')?.amount ?? 0)
  return { available: dollars(available), pending: dollars(pending) }
}

/** The balance transactions at Stripe, as the port describes them. */
export async function* balanceTransactions(
  parts: StripeParts,
  from: Date,
  before: Date,
): AsyncIterable<BalanceTransaction> {
  const { stripe, db } = parts
  const pages = pagesOf(parts, 'balance transactions', [from, before], (request) =>
    stripe.balanceTransactions.list({ ...request, expand: ['data.source'] }),
  )
  for await (const page of pages) {
    for (const each of page) yield await transactionOf(db, each)
  }
}

async function transactionOf(
  db: Db,
  moved: Stripe.BalanceTransaction,
): Promise<BalanceTransaction> {
  const { id, type, amount, fee, created, description } = moved
  const [kind, subject] = await meaningOf(db, moved)
  const isFee = kind === 'fee'
  return {
    id,
    at: new Date(created * 1000),
    kind,
    subject,
    // A fee transaction has the fee as its amount.
    amount: cents(isFee ? 0 : amount),
    fee: cents(isFee ? fee - amount : fee),
    fee_kind: feeKindOf(kind, description ?? ''),
    description: `${type}: ${description ?? idOf(moved.source) ?? 'without a description'}`,
  }
}

type Meaning = [kind: BalanceTransaction['kind'], subject: string | null]
const OTHER: Meaning = ['other', null]

/** What a balance transaction is about; `other` if it is not about anything of ours. */
async function meaningOf(
  db: Db,
  { type, amount, source }: Stripe.BalanceTransaction,
): Promise<Meaning> {
  if (BANK.includes(type)) return ['bank', null]
  if (FEES.includes(type)) return ['fee', null]
  if (!source || typeof source === 'string') return OTHER
  switch (source.object) {
    case 'charge': {
      const payment = idOf(source.payment_intent)
      return payment && (await isOurs(db, payment)) ? ['charge', payment] : OTHER
    }
    case 'refund': {
      const payment = idOf(source.payment_intent)
      if (!payment || !(await isOurs(db, payment))) return OTHER
      return [amount > 0 ? 'refund_failed' : 'refund', source.id]
    }
    case 'dispute': {
      const payment = idOf(source.payment_intent)
      if (!payment || !(await isOurs(db, payment))) return OTHER
      return [amount > 0 ? 'dispute_won' : 'dispute', source.id]
    }
    case 'transfer': {
      const { key } = source.metadata
      return key && (await requests.find(db, key)) ? ['payout', key] : OTHER
    }
    case 'transfer_reversal': {
      const request = await requests.findByObject(db, idOf(source.transfer) ?? '')
      return request ? ['payout_failed', request.key] : OTHER
    }
    default:
      return OTHER
  }
}

async function isOurs(db: Db, payment_intent: string): Promise<boolean> {
  return (await requests.findByObject(db, payment_intent)) !== undefined
}

const BANK: string[] = ['payout', 'payout_cancel', 'payout_failure', 'topup', 'topup_reversal']
const FEES: string[] = ['stripe_fee', 'stripe_fx_fee', 'tax_fee']

/** Stripe charges for Connect, including payouts, as fees of the account. */
function feeKindOf(
  kind: BalanceTransaction['kind'],
  description: string,
): BalanceTransaction['fee_kind'] {
  if (kind.startsWith('dispute')) return 'dispute'
  if (kind === 'fee' && /payout|connect/i.test(description)) return 'payout'
  return 'processing'
}
