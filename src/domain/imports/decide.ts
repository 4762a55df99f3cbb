import type { ImportRecord } from './record.ts'

/** What an import does with a row. */
export const ROW_OUTCOMES = [
  'create',
  'update',
  'end',
  'add_key',
  'unchanged',
  'duplicate',
  'owned',
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
}

/** A row with everything that decides what is done with it. */
export interface ImportRowFacts extends Pick<ImportRecord, 'over' | 'ends_at'> {
  /** The plan that its product was matched with; null: it is not imported. */
  product_id: string | null
  /** Whether this is the row of its buyer that entitles for the longest. */
  is_best: boolean
  /** Whether any row of its buyer entitles. */
  has_best: boolean
  /** The license that this row created before. */
  own: KnownLicense | undefined
  /** The live license of the buyer. */
  live: KnownLicense | undefined
  /** Whether the live license came from another row of this same file. */
  is_live_in_file: boolean
  /** Whether the buyer is paying at this moment. */
  is_buying: boolean
  /** Whether the row has a key that opens no license of the app yet. */
  is_key_new: boolean
}

/**
 * What is done with a row (decision 143). A buyer has one license of an app: the best of their rows
 * creates it, and the others add their keys to it. What is already so is unchanged.
 */
export function decideRow(row: ImportRowFacts): RowOutcome {
  if (row.product_id === null) return 'skipped'
  if (row.over) return decideOver(row)
  const addsKey = row.is_key_new ? 'add_key' : undefined
  if (!row.is_best) return addsKey ?? 'duplicate'
  const { live } = row
  if (!live) return decideNew(row)
  const isOwn = row.own?.license_id === live.license_id
  if (!live.is_imported || (!isOwn && !row.is_live_in_file)) return addsKey ?? 'owned'
  // Their card is being checked, to continue it: the end that they saw stays.
  if (!live.is_paused && differs(row, live)) return row.is_buying ? 'buying' : 'update'
  return addsKey ?? 'unchanged'
}

function decideOver(row: ImportRowFacts): RowOutcome {
  const { over, own, live, has_best, is_key_new } = row
  const endsNow = own?.is_live && own.is_imported && !has_best
  if (endsNow) return row.is_buying ? 'buying' : 'end'
  // What was refunded or revoked keeps no key.
  return over === 'ended' && is_key_new && (live || has_best) ? 'add_key' : 'over'
}

function decideNew({ own, ends_at, is_buying }: ImportRowFacts): RowOutcome {
  if (is_buying) return 'buying'
  // It ended here, and the file is not newer than that: a seller's own end is never undone.
  const isRenewed = own?.period_end && ends_at && ends_at > own.period_end
  return own && !isRenewed ? 'ended_here' : 'create'
}

function differs(row: ImportRowFacts, live: KnownLicense): boolean {
  return row.product_id !== live.product_id || row.ends_at?.getTime() !== live.period_end?.getTime()
}
