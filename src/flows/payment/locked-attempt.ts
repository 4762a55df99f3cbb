import * as billing from '#domain/billing'
import * as licensing from '#domain/licensing'
import * as payments from '#domain/payments'
import type { Db } from '#platform/db'
import type { JsonRow } from '#platform/json-row'
import { rowsOf, sql } from '#platform/sql'

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

/** An attempt to lock. Its invoice's owner never changes: one that is known saves a query. */
interface WantedAttempt {
  attempt: AttemptKeys
  known?: { owner?: billing.InvoiceOwner } | undefined
}

/**
 * Locks attempts, their invoices, and the cart or the subscription and license that each invoice
 * belongs to, until the transaction ends. Returns them in the same order.
 */
export async function lockAttempts(
  tx: Db,
  wanted: readonly WantedAttempt[],
): Promise<LockedAttempt[]> {
  const locked = new Map<AttemptKeys['id'], LockedAttempt>()
  const renewals: RenewalKeys[] = []
  for (const { attempt, known } of wanted) {
    const owner = known?.owner ?? (await billing.ownerOf(tx, attempt.invoice_id))
    if (owner.kind === 'purchase') locked.set(attempt.id, await lockPurchase(tx, attempt, owner))
    else renewals.push({ ...attempt, subscription_id: owner.subscription_id })
  }
  for (const each of await lockRenewals(tx, renewals)) locked.set(each.attempt.id, each)
  return wanted.map(({ attempt }) => {
    const found = locked.get(attempt.id)
    if (!found) throw new Error(`there is no attempt ${attempt.id} on such an invoice`)
    return found
  })
}

interface RenewalKeys extends AttemptKeys {
  subscription_id: billing.Subscription['id']
}

// Rows are locked in the order in which `for update` names them: the owner before the attempt, as
// in every flow that locks both, so that two cannot wait for each other. Several are locked in the
// order of their ids, for the same reason.

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
      join attempts on attempts.invoice_id = invoices.id
    where carts.id = ${cart_id} and invoices.id = ${keys.invoice_id} and attempts.id = ${keys.id}
    for update of carts, invoices, attempts`)
  const { draft, attempt, clock_ahead, ...cart } = row
  return {
    attempt: attemptIn({ attempt, clock_ahead }),
    owner: { kind: 'purchase', cart, draft: billing.draftOf(draft) },
  }
}

async function lockRenewals(tx: Db, keys: RenewalKeys[]): Promise<LockedAttempt[]> {
  if (keys.length === 0) return []
  interface RenewalRow extends licensing.PausableLicense, AttemptColumns {
    subscription: JsonRow<billing.RunningSubscription>
    invoice: JsonRow<billing.Invoice>
  }
  const rows = await tx.rows<RenewalRow>(sql`select ${licensing.PAUSABLE},
      ${billing.SUBSCRIPTION_AS_JSON} as subscription, ${billing.INVOICE_AS_JSON} as invoice,
      ${attemptColumns}
    from ${rowsOf(keys, { id: 'text', invoice_id: 'text', subscription_id: 'text' })}
      join subscriptions s on s.id = row.subscription_id
      join licenses on licenses.id = s.license_id
      join invoices on invoices.id = row.invoice_id and invoices.subscription_id = s.id
        and invoices.number is not null
      join attempts on attempts.id = row.id and attempts.invoice_id = invoices.id
    order by s.id for update of s, licenses, invoices, attempts`)
  return rows.map(({ subscription, invoice, attempt, clock_ahead, ...license }) => ({
    attempt: attemptIn({ attempt, clock_ahead }),
    owner: {
      kind: 'subscription',
      subscription: billing.subscriptionIn(subscription),
      license,
      invoice: billing.invoiceOf(invoice),
    },
  }))
}

interface AttemptColumns {
  attempt: JsonRow<payments.Attempt>
  clock_ahead: number
}

const attemptColumns = sql`${payments.ATTEMPT_AS_JSON} as attempt,
  (select clock_ahead from apps where apps.id = attempts.app_id) as clock_ahead`

function attemptIn({ attempt, clock_ahead }: AttemptColumns): LockedAttempt['attempt'] {
  return { ...payments.attemptOf(attempt), clock_ahead }
}
