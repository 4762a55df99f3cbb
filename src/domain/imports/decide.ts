import { isoDate } from '#platform/calendar'
import type { ImportRecord, ImportSource } from './record.ts'

/** What an import does with a row. */
export const ROW_OUTCOMES = [
  'create',
  'create_key_taken',
  'create_key_replaced',
  'update',
  'update_key_taken',
  'update_key_replaced',
  'end',
  'add_key',
  'key_taken',
  'key_replaced',
  'unchanged',
  'duplicate',
  'owned',
  'ends_earlier',
  'add_key_ends_earlier',
  'over',
  'ended_here',
  'buying',
  'skipped',
] as const
export type RowOutcome = (typeof ROW_OUTCOMES)[number]

/** A license that a row leads to, as far as the decision needs it. */
export interface KnownLicense {
  license_id: string
  is_live: boolean
  is_imported: boolean
  is_paused: boolean
  product_id: string
  period_end: Date | null
  /** The day on which it ends, as it does not renew; null for one that renews or is permanent. */
  ends_at: Date | null
}

/** A row with everything that determines its outcome. */
export interface ImportRowFacts extends Pick<ImportRecord, 'over' | 'ends_at'> {
  /** The plan that its product was matched with; null: it is not imported. */
  product_id: string | null
  /** Whether this is the buyer's row with the longest entitlement. */
  is_best: boolean
  /** Whether any row of the buyer entitles them. */
  has_best: boolean
  /** What is done with that row; null until it is decided. */
  best_outcome: RowOutcome | null
  /** The license that this row created in an earlier import. */
  own: KnownLicense | undefined
  /** The buyer's latest license of this plan and service that ended here before its time. */
  former: KnownLicense | undefined
  /** The live license of the buyer. */
  live: KnownLicense | undefined
  /** Whether the live license came from another row of this same file. */
  is_live_in_file: boolean
  source: ImportSource
  external_id: string
  /** The rows, of any file of the service, that the license of this row came from. */
  own_records: readonly string[]
  /** The rows, of any file of the service, that the former license came from. */
  former_records: readonly string[]
  /** The rows, of any file of the service, that the live license came from. */
  live_records: readonly string[]
  /** Whether this is an ended subscription, of whose plan an order became the live license. */
  is_end_of_order: boolean
  /** Whether the buyer is paying at this moment. */
  is_buying: boolean
  /** Whether the row has a key that opens no license of the app yet, and was not replaced. */
  is_key_new: boolean
  /** Whether the key of the row belongs to a license of another buyer of the app, or did. */
  is_key_taken: boolean
  /** Whether the key of the row was replaced, so that it opens nothing. */
  is_key_replaced: boolean
}

/**
 * Decides what an import does with a row (decision 143). A buyer has one license for an app: the
 * best of their rows creates it, and the others add their keys to it. Nothing that is already up to
 * date changes. A key opens one license: that of the buyer whose row brought it first. One that was
 * replaced opens none.
 */
export function decideRow(row: ImportRowFacts): RowOutcome {
  const outcome = decideLicense(row)
  if (row.is_key_replaced) {
    // The buyer's own replaced key is news only with a new license.
    if (outcome === 'create') return 'create_key_replaced'
    return row.is_key_taken ? (KEY_REPLACED[outcome] ?? outcome) : outcome
  }
  return row.is_key_taken ? (KEY_TAKEN[outcome] ?? outcome) : outcome
}

type KeyOutcomes = Partial<Record<RowOutcome, RowOutcome>>

/** Outcomes of a row that would add its key, if the key belongs to another buyer. */
const KEY_TAKEN: KeyOutcomes = {
  create: 'create_key_taken',
  update: 'update_key_taken',
  unchanged: 'key_taken',
  duplicate: 'key_taken',
  owned: 'key_taken',
}

/** The same, if the key of the other buyer was replaced. */
const KEY_REPLACED: KeyOutcomes = {
  update: 'update_key_replaced',
  unchanged: 'key_replaced',
  duplicate: 'key_replaced',
  owned: 'key_replaced',
}

/** Outcomes of a row that creates a license. */
export const CREATING: readonly RowOutcome[] = ['create', 'create_key_taken', 'create_key_replaced']

/** Outcomes of a row that changes plan or end of a license. */
export const UPDATING: readonly RowOutcome[] = ['update', 'update_key_taken', 'update_key_replaced']

function decideLicense(row: ImportRowFacts): RowOutcome {
  if (row.product_id === null) return 'skipped'
  if (row.over) return decideOver(row)
  const addsKey = row.is_key_new ? 'add_key' : undefined
  if (!row.is_best) {
    return hasLicense(row) ? (addsKey ?? 'duplicate') : (row.best_outcome ?? 'duplicate')
  }
  const { live } = row
  if (!live) return decideNew(row)
  if (!live.is_imported || !decides(row, live)) {
    if (endsEarlier(row, live)) return row.is_key_new ? 'add_key_ends_earlier' : 'ends_earlier'
    return addsKey ?? 'owned'
  }
  // Their card is being checked, to continue it: the end that they saw stays.
  if (!live.is_paused && differs(row, live)) return row.is_buying ? 'buying' : 'update'
  return addsKey ?? 'unchanged'
}

/** Whether the buyer has a live license once their best row was imported. */
function hasLicense({ live, best_outcome }: ImportRowFacts): boolean {
  return live !== undefined || (best_outcome !== null && CREATING.includes(best_outcome))
}

/**
 * Whether this row determines the buyer's live license from now on, whether or not it changes it.
 */
export function isDecisive(row: ImportRowFacts): boolean {
  const { product_id, over, is_best, live } = row
  if (product_id === null || over || !is_best) return false
  return live?.is_imported === true && decides(row, live)
}

/**
 * Whether a row decides the plan and the end of the buyer's license. Files of one service describe
 * the same buyer, and the strongest kind decides, in whichever order they are imported.
 */
function decides(row: ImportRowFacts, live: KnownLicense): boolean {
  // Another service's file, or staff, gave it.
  if (row.live_records.length === 0) return false
  const strength = strengthOf([row.external_id])
  const decided = strengthOf(row.live_records)
  if (strength !== decided) return strength > decided && !isOtherPurchase(row, live)
  return row.own?.license_id === live.license_id || row.is_live_in_file
}

/**
 * Whether a row of another kind is a purchase of its own, as one of the two is paid once and the
 * other recurs. Lemon Squeezy lists a purchase in up to three files.
 */
function isOtherPurchase({ source, ends_at }: ImportRowFacts, live: KnownLicense): boolean {
  return source !== 'lemon_squeezy' && (ends_at === null) !== (live.ends_at === null)
}

/**
 * Whether the buyer's license ends before what this row paid for does. It was bought or given here,
 * or came from another purchase, and stays as it is: then the file is to be imported again.
 */
function endsEarlier(row: ImportRowFacts, live: KnownLicense): boolean {
  if (live.ends_at === null) return false
  // A weaker row does not say when its purchase ends.
  const isWeaker = strengthOf([row.external_id]) < strengthOf(row.live_records)
  if (isWeaker && !isOtherPurchase(row, live)) return false
  return row.ends_at === null || isoDate(row.ends_at) > isoDate(live.ends_at)
}

/**
 * Kinds of rows, weakest first. A subscription says when it ends; a key says only that it exists.
 */
const KINDS = ['transaction', 'order', 'license_key', 'subscription']

/** How strong the strongest of these rows is; -1 for none, and for a service with one kind. */
function strengthOf(records: readonly string[]): number {
  return Math.max(-1, ...records.map((id) => KINDS.indexOf(kindOf(id))))
}

function kindOf(external_id: string): string {
  return external_id.slice(0, external_id.indexOf(':'))
}

function decideOver(row: ImportRowFacts): RowOutcome {
  const { over, own, has_best, is_key_new } = row
  const isStrongest = strengthOf([row.external_id]) >= strengthOf(row.own_records)
  const endsNow = own?.is_live && own.is_imported && isStrongest
  if (!has_best && (endsNow || endsOrder(row))) return row.is_buying ? 'buying' : 'end'
  // A refunded or revoked license keeps no key.
  return over === 'ended' && is_key_new && hasLicense(row) ? 'add_key' : 'over'
}

/** Kinds of rows whose key is their own: a payment may repeat the key of a subscription. */
const KEY_KINDS = ['license_key', 'sale', 'license']

/** Whether a row says that its key was revoked, or refunded, so that it opens nothing. */
export function revokesKey(row: Pick<ImportRowFacts, 'over' | 'external_id'>): boolean {
  const { over, external_id } = row
  const isRevoked = over === 'revoked' || over === 'refunded'
  return isRevoked && KEY_KINDS.includes(kindOf(external_id))
}

/** Whether the live license came from nothing but the order that began this ended subscription. */
export function endsOrder({ is_end_of_order, live, live_records }: ImportRowFacts): boolean {
  const isFromOrder = strengthOf(live_records) === KINDS.indexOf('order')
  return is_end_of_order && live?.is_imported === true && isFromOrder
}

function decideNew(row: ImportRowFacts): RowOutcome {
  const { ends_at, is_buying } = row
  if (is_buying) return 'buying'
  // The license ended here after the file was exported. A seller's decision to end it is never
  // undone.
  const ended = row.own ?? samePurchase(row)
  const isRenewed = ended?.period_end && ends_at && ends_at > ended.period_end
  return ended && !isRenewed ? 'ended_here' : 'create'
}

/**
 * The license that ended here, if this row of another kind may be about its purchase. Lemon Squeezy
 * lists a purchase in up to three files. Elsewhere, what is paid once is a purchase of its own.
 */
function samePurchase(row: ImportRowFacts): KnownLicense | undefined {
  const { former, former_records, external_id, source, ends_at } = row
  const hasKind = former_records.some((id) => kindOf(id) === kindOf(external_id))
  const mayBeSame = source === 'lemon_squeezy' || (ends_at && former?.period_end)
  return mayBeSame && !hasKind ? former : undefined
}

function differs(row: ImportRowFacts, live: KnownLicense): boolean {
  return row.product_id !== live.product_id || row.ends_at?.getTime() !== live.period_end?.getTime()
}
