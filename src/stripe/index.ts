/**
 * Stripe behind the processor's port, and Stripe Tax behind the port for taxes.
 *
 * Knows Stripe's hosted pages (a card is entered or replaced, a payment confirmed, a payee named),
 * its intents, refunds, disputes and connected accounts, and how it tells events. Owns the schema
 * `stripe_adapter`. Promises: what is asked is on record before Stripe hears of it, under a key of
 * ours; it happens once, for good and not only for the day that Stripe keeps a key; events are told
 * in the order in which they happened; and no card number comes here. See docs/decisions/0024.
 */
import type { FastifyInstance } from 'fastify'
import type { Processor } from '#domain/payments'
import { markHandled } from '#domain/payments'
import type { TaxProvider } from '#domain/tax'
import { mintId } from '#platform/ids'
import { openCardEntry, readCardEntry } from './card-entry.ts'
import { charge, close, find, SMALLEST_CHARGE } from './charges.ts'
import { openClient, type StripeParts } from './client.ts'
import { answerDispute, submitDue } from './disputes.ts'
import { events } from './events.ts'
import { inTurn } from './once.ts'
import { openAccount, openOnboarding, readAccount } from './payees.ts'
import { payOut } from './payouts.ts'
import { openPortal, readPortal } from './portal.ts'
import { refund } from './refunds.ts'
import { declareRoutes } from './routes.ts'
import { openTaxes } from './tax.ts'

export type { StripeSettings } from './client.ts'
export { KINDS } from './tell.ts'

/** The processor, the address that hears its events, and its tax service. */
export interface StripeAccount extends Processor {
  readonly name: 'stripe'
  readonly taxes: TaxProvider
  /** Declares the address to which Stripe tells events. */
  declareRoutes(app: FastifyInstance): void
}

/** Opens Stripe over the adapter's own tables; nothing is asked yet. */
export function openStripe(options: Omit<StripeParts, 'stripe'>): StripeAccount {
  const parts: StripeParts = { ...options, stripe: openClient(options.settings) }
  const { db, clock, random } = parts
  return {
    name: 'stripe',
    smallest_charge: SMALLEST_CHARGE,
    page_origins: ['https://*.stripe.com'],
    taxes: openTaxes(parts),
    declareRoutes: (app) => declareRoutes(app, parts),
    openCardEntry: (_now, request) => openCardEntry(parts, request),
    readCardEntry: (id) => readCardEntry(parts, id),
    charge: (now, request) => inTurn(request.key, () => charge(parts, now, request)),
    find: (key) => find(parts, key),
    close: (now, key) => inTurn(key, () => close(parts, now, key)),
    openPortal: (now, request) => openPortal(parts, now, request),
    readPortal: (id) => readPortal(parts, id),
    refund: (now, request) => inTurn(request.key, () => refund(parts, now, request)),
    answerDispute: (now, request) => answerDispute(parts, now, request),
    openAccount: (now, request) => inTurn(request.owner, () => openAccount(parts, now, request)),
    openOnboarding: (_now, { account_id, return_url }) =>
      openOnboarding(parts, account_id, return_url, mintId(random, 'onboarding')),
    readAccount: (account_id) => readAccount(parts, account_id),
    payOut: (now, request) => inTurn(request.key, () => payOut(parts, now, request)),
    async events(now) {
      // Banks know no clock of an app's own.
      await submitDue(parts, clock.now())
      return await events(parts, now)
    },
    async acknowledge(event_id) {
      await markHandled(db, clock.now(), event_id)
    },
  }
}
