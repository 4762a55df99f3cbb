import * as billing from '#domain/billing'
import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'
import type { AppId, SubscriptionId } from '#platform/ids'

/** Claims of a worker that was killed expire after this time. */
const CLAIM_SECONDS = 60
/** The age at which a claim is extended. */
const HEARTBEAT_SECONDS = 15

/** Subscriptions that this worker has claimed and not processed yet. */
export interface Claims {
  /**
   * The next claimed subscription; extends the claims on the rest when due. Undefined at the end.
   */
  next(): Promise<SubscriptionId | undefined>
  /** Releases the remaining claims to other workers. */
  release(): Promise<void>
}

/** Claims what is due. The claims last while this worker runs, and up to a minute longer. */
export async function claimDue(
  { db, clock }: World,
  { app_id, limit }: { app_id: AppId | undefined; limit: number },
): Promise<Claims> {
  const claimUntil = () => addSeconds(clock.now(), CLAIM_SECONDS)
  let claimed = claimUntil()
  let waiting = await billing.claimDue(db, clock.now(), { until: claimed, limit, app_id })
  let extending: Promise<void> | undefined
  const extend = async (until: Date) => {
    const kept = await billing.extendClaims(db, waiting, { claimed, until })
    waiting = waiting.filter((id) => kept.has(id))
    claimed = until
    extending = undefined
  }
  return {
    async next() {
      const until = claimUntil()
      if (waiting.length > 0 && addSeconds(claimed, HEARTBEAT_SECONDS) <= until) {
        extending ??= extend(until)
      }
      await extending
      return waiting.shift()
    },
    async release() {
      if (waiting.length > 0) await billing.extendClaims(db, waiting, { claimed, until: null })
    },
  }
}
