import * as imports from '#domain/imports'
import * as licensing from '#domain/licensing'
import type { Db } from '#platform/db'
import type { LicenseId } from '#platform/ids'

/** A row with its licenses and what is done with it. */
export interface DecidedRow extends imports.LeadingRow {
  outcome: imports.RowOutcome
  /** Whether this row determines the buyer's live license from now on. */
  is_decisive: boolean
  /** The license that this row ends. */
  ends_id: LicenseId | null
}

const ADDING: readonly imports.RowOutcome[] = [
  'create',
  'update',
  'add_key',
  'add_key_ends_earlier',
]

/** What earlier rows do, which a dry run does not store: keys they add, licenses they end. */
export interface DoneBefore {
  /** The email of the buyer whose license each key opens. */
  keys: Map<string, string>
  ended: Set<string>
}

/** What the first rows of an import find. */
export const nothingDone = (): DoneBefore => ({ keys: new Map(), ended: new Set() })

/** Decides what is done with the next rows of an import, and adds that to `done`. */
export async function decideNext(
  db: Db,
  read: imports.Import,
  { after, limit, done = nothingDone() }: { after: number; limit: number; done?: DoneBefore },
): Promise<DecidedRow[]> {
  const { id: import_id, app_id, source } = read
  const rows = await imports.nextRows(db, { import_id, app_id, source, after, limit })
  // The best rows first, alone: the others depend on the licenses that these become.
  const together = rows.filter(({ is_best }) => is_best === rows[0]?.is_best)
  const ids = together.flatMap(({ own_id, former_id, live_id }) => [own_id, former_id, live_id])
  const known = new Map(
    (await licensing.licensesById(db, [...new Set(ids.filter((id) => id !== null))])).map(
      (license) => [license.license_id, knownOf(license)],
    ),
  )
  const of = (id: LicenseId | null) => {
    const license = id === null ? undefined : known.get(id)
    return license && done.ended.has(license.license_id) ? { ...license, is_live: false } : license
  }
  return together.map((row) => {
    const key = row.key_hash?.toString('base64') ?? ''
    const is_key_new = row.is_key_new && !done.keys.has(key)
    const { email_normalized } = row
    const is_key_taken =
      row.is_key_taken || (done.keys.get(key) ?? email_normalized) !== email_normalized
    const live = of(row.live_id)
    const facts = {
      ...row,
      source,
      is_key_new,
      is_key_taken,
      own: of(row.own_id),
      former: of(row.former_id),
      live: live?.is_live ? live : undefined,
    }
    const outcome = imports.decideRow(facts)
    if (is_key_new && ADDING.includes(outcome)) done.keys.set(key, email_normalized)
    const ends_id = imports.endsOrder(facts) ? row.live_id : row.own_id
    if (outcome === 'end') done.ended.add(ends_id!)
    return { ...row, outcome, is_decisive: imports.isDecisive(facts), ends_id }
  })
}

function knownOf(license: licensing.PausableLicense): imports.KnownLicense {
  return {
    license_id: license.license_id,
    is_live: license.status !== 'canceled' && license.status !== 'preview',
    is_imported: license.origin === 'import',
    is_paused: license.status === 'paused',
    product_id: license.product_id,
    period_end: license.period_end,
    ends_at: license.canceled_at && license.period_end,
  }
}
