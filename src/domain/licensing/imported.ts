import type { Db } from '#platform/db'
import type { LicenseId, ProductId } from '#platform/ids'
import type { Random } from '#platform/random'
import type { KeyRing } from '#platform/secrets'
import type { Comp } from './comps.ts'
import { mint } from './licenses.ts'
import type { LicenseStatus } from './status.ts'
import { setEndDay, transition } from './transitions.ts'

/**
 * Creates a license that another service sold, with a key. It is entitled until `ends_at`, the end
 * of what was paid there, or for good. Throws where the person has a live license of the app.
 */
export async function grantImported(
  db: Db,
  now: Date,
  tools: { keys: KeyRing; random: Random },
  license: Comp,
): Promise<void> {
  const { ends_at, license_id } = license
  const status = statusOf(ends_at)
  await mint(db, now, tools, { ...license, status, period_end: ends_at, trigger: 'import' })
  if (ends_at) await setEndDay(db, { license_id, canceled_at: ends_at })
}

/** Changes the plan or the end of an imported license, as a newer file has it. */
export async function changeImported(
  db: Db,
  now: Date,
  change: { license_id: LicenseId; product_id: ProductId; ends_at: Date | null },
): Promise<void> {
  const { license_id, product_id, ends_at } = change
  const to = statusOf(ends_at)
  const step = { license_id, trigger: 'import_changed', to, product_id } as const
  await transition(db, now, { ...step, period_end: ends_at })
  await setEndDay(db, { license_id, canceled_at: ends_at })
}

function statusOf(ends_at: Date | null): LicenseStatus {
  return ends_at ? 'active' : 'one_time_active'
}
