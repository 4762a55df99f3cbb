import type { Payout } from '#domain/payouts'

/** The label and tone of a payout's status. */
export function payoutLabel(payout: Pick<Payout, 'status' | 'was_refused'>) {
  const { status } = payout
  if (status === 'paid') return { label: 'Paid', tone: 'good' } as const
  if (payout.was_refused) return { label: 'Failed', tone: 'bad' } as const
  if (status === 'failed') return { label: 'Returned', tone: 'bad' } as const
  return { label: 'Pending', tone: 'info' } as const
}
