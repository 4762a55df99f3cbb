/**
 * Stripe behind the processor port, and Stripe Tax behind the tax port. It uses Stripe's hosted
 * pages (card entry, billing portal, onboarding), intents, refunds, disputes, connected accounts
 * and events. It owns the schema `stripe_adapter`. It guarantees that a request is recorded before
 * it is sent, under an idempotency key, and is executed once, even after Stripe has deleted the
 * key; that events are reported in the order in which they happened; and that no card number
 * reaches the service. See docs/decisions/0026.
 */
import type { FastifyInstance } from 'fastify'
import type { Processor, ProcessorFacts, ProcessorRecords } from '#domain/payments'
import { markHandled } from '#domain/payments'
import type { TaxProvider } from '#domain/tax'
import { isLiveKey } from '#platform/config'
import { mintId } from '#platform/ids'
import { balanceTransactions, readBalance } from './balance.ts'
import { openCardEntry, readCardEntry } from './card-entry.ts'
import { charge, close, find, RENEWALS_AT_ONCE, SMALLEST_CHARGE } from './charges.ts'
import { openClient, reportingRefusals, type StripeParts } from './client.ts'
import { answerDispute, submitDue } from './disputes.ts'
import { events } from './events.ts'
import { serialize } from './idempotent-requests.ts'
import { openAccount, openOnboarding, readAccount } from './payees.ts'
import { payOut } from './payouts.ts'
import { openPortal, readPortal } from './portal.ts'
import { openRecords } from './records.ts'
import { refund } from './refunds.ts'
import { declareRoutes } from './routes.ts'
import { openTaxes } from './tax.ts'
import { listUnrecognized } from './unrecognized.ts'

export type { StripeSettings } from './client.ts'
export { KINDS } from './parse-event.ts'

/** The processor, its event endpoint, and its tax service. */
export interface StripeAccount extends Processor {
  readonly name: 'stripe'
  readonly taxes: TaxProvider
  /** Registers the endpoint for Stripe's events. */
  declareRoutes(app: FastifyInstance): void
}

/** What Stripe is opened with. */
export type StripeOptions = Omit<StripeParts, 'stripe'>

/** Opens Stripe over the adapter's own tables; calls nothing yet. */
export function openStripe(options: StripeOptions): StripeAccount {
  const parts: StripeParts = { ...options, stripe: openClient(options.settings) }
  return {
    name: 'stripe',
    legal_name: 'Stripe, Inc.',
    is_test_mode: !isLiveKey(options.settings.secret_key),
    has_test_clock: false,
    smallest_charge: SMALLEST_CHARGE,
    renewals_at_once: RENEWALS_AT_ONCE,
    page_origins: ['https://*.stripe.com'],
    taxes: openTaxes(parts),
    declareRoutes: (app) => declareRoutes(app, parts),
    ...openCharging(parts),
    ...openPaying(parts),
    ...openRecords(parts),
    unrecognized: (from, before) => listUnrecognized(parts, from, before),
    async events(now) {
      // Banks do not follow test clocks.
      await submitDue(parts, parts.clock.now())
      return await events(parts, now)
    },
    async acknowledge(event_id) {
      await markHandled(parts.db, parts.clock.now(), event_id)
    },
  }
}

type Charging = 'openCardEntry' | 'readCardEntry' | 'charge' | 'find' | 'close'
type Other = keyof ProcessorFacts | 'events' | 'acknowledge'

/** The operations that charge cards. */
function openCharging(parts: StripeParts): Pick<Processor, Charging> {
  return {
    openCardEntry: (_now, request) =>
      reportingRefusals(parts, 'a card entry', () => openCardEntry(parts, request)),
    readCardEntry: (id) =>
      reportingRefusals(parts, 'reading a card', () => readCardEntry(parts, id)),
    charge: (now, request) =>
      reportingRefusals(parts, 'a charge', () =>
        serialize(request.key, () => charge(parts, now, request)),
      ),
    find: (key) => reportingRefusals(parts, 'reading a charge', () => find(parts, key)),
    close: (now, key) =>
      reportingRefusals(parts, 'closing a charge', () =>
        serialize(key, () => close(parts, now, key)),
      ),
  }
}

/** The operations that refund or pay out, and the hosted pages. */
function openPaying(
  parts: StripeParts,
): Omit<Processor, Charging | Other | keyof ProcessorRecords | 'unrecognized'> {
  return {
    openPortal: (now, request) =>
      reportingRefusals(parts, 'a customer portal', () => openPortal(parts, now, request)),
    readPortal: (id) => reportingRefusals(parts, 'reading a portal', () => readPortal(parts, id)),
    refund: (now, request) =>
      reportingRefusals(parts, 'a refund', () =>
        serialize(request.key, () => refund(parts, now, request)),
      ),
    answerDispute: (now, request) =>
      reportingRefusals(parts, 'evidence', () => answerDispute(parts, now, request)),
    openAccount: (now, request) =>
      reportingRefusals(parts, 'a payee’s account', () =>
        serialize(request.owner, () => openAccount(parts, now, request)),
      ),
    openOnboarding: (_now, { account_id, return_url }) =>
      reportingRefusals(parts, 'onboarding', () =>
        openOnboarding(parts, account_id, return_url, mintId(parts.random, 'onboarding')),
      ),
    readAccount: (account_id) =>
      reportingRefusals(parts, 'reading a payee’s account', () => readAccount(parts, account_id)),
    balanceTransactions: (from, before) => balanceTransactions(parts, from, before),
    readBalance: () => reportingRefusals(parts, 'reading the balance', () => readBalance(parts)),
    payOut: (now, request) =>
      reportingRefusals(parts, 'a payout', () =>
        serialize(request.key, () => payOut(parts, now, request)),
      ),
  }
}
