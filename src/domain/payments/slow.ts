import { addSeconds } from '#platform/calendar'
import type { Attempt } from './attempts.ts'

/** Banks answer within seconds. */
const USUAL_SECONDS = 60

/** Whether an attempt waits for its answer longer than usual. */
export function isSlow(now: Date, { created_at }: Pick<Attempt, 'created_at'>): boolean {
  return addSeconds(created_at, USUAL_SECONDS) <= now
}
