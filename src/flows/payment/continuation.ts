import * as licensing from '#domain/licensing'
import type { Db } from '#platform/db'
import type { LicenseId, ProductId, UserId } from '#platform/ids'

/** An imported license as its buyer wants to continue it. */
export interface Continuation {
  license_id: LicenseId
  user_id: UserId | null
  /** The plan, and the end of what was paid for it at the other service. */
  product_id: ProductId
  period_end: Date | null
}

/** Why a purchase does not continue an imported license. */
export type NotContinued =
  | licensing.ContinuationRefusal
  /** The license belongs to another person. */
  | 'foreign'
  /** A newer import changed its plan. */
  | 'other_plan'
  /** A newer import changed its end. */
  | 'other_end'

/** Why a license is not continued as its buyer wants it; undefined if it can be. */
export function notContinued(
  now: Date,
  license: licensing.PausableLicense,
  wanted: Continuation,
  state?: { paying: boolean },
): NotContinued | undefined {
  if (license.user_id !== wanted.user_id) return 'foreign'
  const refusal = licensing.continuationRefusal(now, license, state)
  if (refusal) return refusal
  if (license.product_id !== wanted.product_id) return 'other_plan'
  return license.period_end?.getTime() === wanted.period_end?.getTime() ? undefined : 'other_end'
}

/** Like `notContinued`, with the license locked until the transaction ends. */
export async function lockContinued(
  tx: Db,
  now: Date,
  wanted: Continuation,
  state?: { paying: boolean },
): Promise<NotContinued | undefined> {
  const license = await licensing.lockLicense(tx, wanted.license_id)
  return notContinued(now, license, wanted, state)
}
