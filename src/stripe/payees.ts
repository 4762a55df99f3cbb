import type { Stripe } from 'stripe'
import type { PayeeAccount } from '#domain/payments'
import { callStripe, type StripeParts } from './client.ts'
import { sendRecorded } from './idempotent-requests.ts'
import * as requests from './requests.ts'

// Stripe's category for computer software, so that the payee is not asked.
const SOFTWARE = '5734'
/** How far Stripe's clock may be behind ours. */
const CLOCK_SECONDS = 3600

/**
 * Opens a connected account, for which Stripe verifies the payee and provides a dashboard. Payouts
 * are manual, so that each payout of ours is one of Stripe's.
 */
export async function openAccount(
  { stripe: { accounts }, db }: StripeParts,
  now: Date,
  { owner, email }: { owner: string; email: string },
): Promise<{ account_id: string }> {
  const key = `account:${owner}`
  const request = await requests.record(db, now, { key, kind: 'account', body: { owner } })
  if (request.object_id !== null) return { account_id: request.object_id }
  const { id } = await sendRecorded({ db }, request, {
    create: () =>
      accounts.create(
        {
          country: 'US',
          email,
          controller: {
            fees: { payer: 'application' },
            losses: { payments: 'application' },
            requirement_collection: 'stripe',
            stripe_dashboard: { type: 'express' },
          },
          // Stripe only grants the transfers capability alone to approved platforms (decision 60).
          capabilities: { card_payments: { requested: true }, transfers: { requested: true } },
          business_profile: { mcc: SOFTWARE, product_description: 'Software sold through Purser' },
          settings: { payouts: { schedule: { interval: 'manual' } } },
          metadata: { owner, key },
        },
        { idempotencyKey: key },
      ),
    retrieve: (id) => accounts.retrieve(id),
    list() {
      const gte = Math.floor(request.sent_at.getTime() / 1000) - CLOCK_SECONDS
      return accounts.list({ created: { gte }, limit: 100 })
    },
  })
  return { account_id: id }
}

/** Stripe's onboarding page, where a payee enters identity and bank account. */
export async function openOnboarding(
  { stripe }: StripeParts,
  account_id: string,
  /** Where the payee returns when done, or after opening an expired link. */
  return_url: string,
  idempotencyKey: string,
): Promise<{ url: string }> {
  const { url } = await callStripe(() =>
    stripe.accountLinks.create(
      { account: account_id, type: 'account_onboarding', return_url, refresh_url: return_url },
      { idempotencyKey },
    ),
  )
  return { url }
}

/** The state of a payee's account at Stripe. */
export async function readAccount(
  { stripe }: StripeParts,
  account_id: string,
): Promise<PayeeAccount> {
  return payeeOf(await callStripe(() => stripe.accounts.retrieve(account_id)))
}

/** A payee for the service: ready once transfers and payouts to them are enabled. */
export function payeeOf(account: Stripe.Account): PayeeAccount {
  const [bank] = account.external_accounts?.data ?? []
  const is_ready = account.payouts_enabled && account.capabilities?.transfers === 'active'
  if (!bank) return { is_ready, bank_name: null, bank_last4: null, bank_fingerprint: null }
  const bank_name = bank.object === 'bank_account' ? bank.bank_name : bank.brand
  return {
    is_ready,
    bank_name: bank_name ?? null,
    bank_last4: bank.last4 ?? null,
    bank_fingerprint: bank.fingerprint ?? bank.id,
  }
}
