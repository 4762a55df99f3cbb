import type { Payout } from './payouts.ts'

/** Whether a failed payout was never sent to the bank, as the processor did not make it. */
export function wasRefused({
  status,
  processor_payout_id,
}: Pick<Payout, 'status' | 'processor_payout_id'>): boolean {
  return status === 'failed' && processor_payout_id === null
}
