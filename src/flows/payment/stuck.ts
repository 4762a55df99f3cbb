import type { World } from '#flows/world'
import { addSeconds } from '#platform/calendar'

// An attempt that is pending for this long is shown to staff (decision 55).
const STUCK_SECONDS = 3600

/** Pending attempts that were made before this time are shown to staff. */
export function stuckBefore({ clock }: Pick<World, 'clock'>): Date {
  return addSeconds(clock.now(), -STUCK_SECONDS)
}
