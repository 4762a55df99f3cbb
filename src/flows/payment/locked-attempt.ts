import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type { Db } from '#platform/db'
import type { JsonRow } from '#platform/json-row'
import { type Sql, sql } from '#platform/sql'

/** What an invoice belongs to until it is paid: the cart of a purchase, or a subscription. */
export type LockedOwner =
  | { kind: 'purchase'; cart: billing.Cart; draft: billing.DraftInvoice }
  | {
      kind: 'subscription'
      subscription: billing.RunningSubscription
      license: licensing.PausableLicense
      invoice: billing.Invoice
    }

/** An attempt with the clock of its app, and the owner of its invoice. */
export interface LockedAttempt {
  attempt: payments.Attempt & { clock_ahead: number }
  owner: LockedOwner
}

type AttemptKeys = Pick<payments.Attempt, 'id' | 'invoice_id'>

/**
 * Locks an attempt, its invoice, and the cart or the subscription and license that the invoice
 * belongs to, until the transaction ends. The owner never changes, so a caller that knows it passes
 * it as `known` to save a query.
 */
export async function lockAttempt(
  tx: Db,
  keys: AttemptKeys,
  known?: billing.InvoiceOwner,
): Promise<LockedAttempt> {
  const owner = known ?? (await billing.ownerOf(tx, keys.invoice_id))
  return owner.kind === 'purchase'
    ? await lockPurchase(tx, keys, owner)
    : await lockRenewal(tx, keys, owner)
}

// Rows are locked in the order in which `for update` names them: the owner before the attempt, as
// in every flow that locks both, so that two cannot wait for each other.

async function lockPurchase(
  tx: Db,
  keys: AttemptKeys,
  { cart_id }: { cart_id: billing.Cart['id'] },
): Promise<LockedAttempt> {
  interface PurchaseRow extends billing.Cart, AttemptColumns {
    draft: JsonRow<billing.DraftInvoice>
  }
  const row = await tx.one<PurchaseRow>(sql`select ${billing.CART_COLUMNS},
      ${billing.DRAFT_AS_JSON} as draft, ${attemptColumns}
    from carts join invoices on invoices.cart_id = carts.id and invoices.kind = 'purchase'
      ${joinAttempt(keys)}
    where carts.id = ${cart_id} for update of carts, invoices, attempts`)
  const { draft, attempt, clock_ahead, ...cart } = row
  return {
    attempt: attemptIn({ attempt, clock_ahead }),
    owner: { kind: 'purchase', cart, draft: billing.draftOf(draft) },
  }
}

async function lockRenewal(
  tx: Db,
  keys: AttemptKeys,
  { subscription_id }: { subscription_id: billing.Subscription['id'] },
): Promise<LockedAttempt> {
  interface RenewalRow extends licensing.PausableLicense, AttemptColumns {
    subscription: JsonRow<billing.RunningSubscription>
    invoice: JsonRow<billing.Invoice>
  }
  const row = await tx.one<RenewalRow>(sql`select ${licensing.PAUSABLE},
      ${billing.SUBSCRIPTION_AS_JSON} as subscription, ${billing.INVOICE_AS_JSON} as invoice,
      ${attemptColumns}
    from subscriptions s join licenses on licenses.id = s.license_id
      join invoices on invoices.subscription_id = s.id and invoices.number is not null
      ${joinAttempt(keys)}
    where s.id = ${subscription_id} for update of s, licenses, invoices, attempts`)
  const { subscription, invoice, attempt, clock_ahead, ...license } = row
  return {
    attempt: attemptIn({ attempt, clock_ahead }),
    owner: {
      kind: 'subscription',
      subscription: billing.subscriptionIn(subscription),
      license,
      invoice: billing.invoiceOf(invoice),
    },
  }
}

interface AttemptColumns {
  attempt: JsonRow<payments.Attempt>
  clock_ahead: number
}

const attemptColumns = sql`${payments.ATTEMPT_AS_JSON} as attempt,
  (select clock_ahead from apps where apps.id = attempts.app_id) as clock_ahead`

function joinAttempt({ id, invoice_id }: AttemptKeys): Sql {
  return sql`join attempts on attempts.id = ${id} and attempts.invoice_id = invoices.id
    and invoices.id = ${invoice_id}`
}

function attemptIn({ attempt, clock_ahead }: AttemptColumns): LockedAttempt['attempt'] {
  return { ...payments.attemptOf(attempt), clock_ahead }
}
