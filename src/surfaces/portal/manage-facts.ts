import type { PriceFrequency } from '#design/money'
import type { ReceiptLine } from '#domain/billing'
import type { LicenseStatus, PausedFor } from '#domain/licensing'
import type { Paging } from '#http/pagination'
import type { PriceId } from '#platform/ids'
import type { Cents } from '#platform/money'
import type { ManageLayoutFacts } from './layout.tsx'
import type { Note } from './notes.ts'

/** The next charge. Amounts are in cents. */
export interface NextFigures {
  amount: Cents
  tax: Cents
  total: Cents
  /** What the card is charged: nothing if the total is too small. */
  charged: Cents
  state: string
  /** True if a tax service computes the exact tax when it is charged. */
  is_about: boolean
}

/** The state of a plan that renews. */
export interface Renewing {
  auto_renew: boolean
  pause_at_end: boolean
  period_end: Date
  /** Whether the next charge is the first one. */
  is_first: boolean
  /** When a failed payment is retried; null if only another card helps. */
  retry_at: Date | null
  /** When the license is canceled if the payment keeps failing. */
  gives_up_at: Date | undefined
  /** Why the last payment failed, in a sentence. */
  declined: string | undefined
  /** Whether another card comes first; if not, the same one pays once the buyer confirms. */
  needs_other_card: boolean
  /** The plan that replaces it at the end of the period. */
  pending:
    | { id: PriceId; product_name: string; amount: Cents; frequency: PriceFrequency }
    | undefined
  /** The discount on the next charge and later ones, in words. */
  discount: string | undefined
}

/** How an imported license can be continued with a card. */
export interface ContinueFacts {
  /** The end of what was paid at the other service. */
  paid_until: Date
  /** The prices to choose from, each with its checkout. */
  options: { href: string; amount: Cents; frequency: PriceFrequency }[]
}

/** A payment in the list, with what the buyer is owed of it. */
export interface ListedReceipt extends ReceiptLine {
  owed: Cents
}

/** Everything that the manage page shows. */
export interface ManageFacts extends ManageLayoutFacts {
  note: Note | undefined
  status: LicenseStatus
  paused_for: PausedFor | null
  /** Whether a payment is disputed, so that a paused license cannot be resumed. */
  is_disputed: boolean
  product_name: string
  /** Whether nothing is charged for it: the seller gave it, or another service sold it. */
  is_uncharged: boolean
  /** Whether another service sold it. */
  is_imported: boolean
  amount: Cents
  frequency: PriceFrequency
  canceled_at: Date | null
  /** Undefined for a one-time purchase, and after the license has ended. */
  renewing: Renewing | undefined
  /** Undefined unless an imported license can be continued with a card. */
  continuing: ContinueFacts | undefined
  next: NextFigures | undefined
  may_change_plan: boolean
  may_pause: boolean
  may_rotate: boolean
  license_key: string
  /** `expires_first`: before the next charge. */
  card: { name: string; expiry: string; expires_first: boolean } | undefined
  /** One page of the receipts. */
  receipts: ListedReceipt[]
  /** What the buyer is owed of all their payments for the app. */
  owed: Cents
  paging: Paging
  /** Whether the first receipt, which contains the key, can be sent again. */
  may_resend: boolean
  /** Where to buy it again; undefined if it is no longer sold. */
  buy_url: string | undefined
  back_url: string
}
