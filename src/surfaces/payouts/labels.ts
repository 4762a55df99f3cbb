import { type Payout, type StatementLine, wasRefused } from '#domain/payouts'

const SALES = { purchase: 'Sale of', renewal: 'Renewal of', upgrade: 'Upgrade to' } as const

/** The label of a statement line. */
export function lineLabel(line: StatementLine): string {
  const { event, invoice_kind, returned_number } = line
  const what = `${line.app_name} ${line.product_name}`
  switch (event) {
    case 'sale':
      return `${SALES[invoice_kind!]} ${what}`
    case 'refund':
      return `Refund of ${what}`
    case 'dispute_opened':
      return `Dispute of ${what}`
    case 'dispute_won':
      return `Dispute won: ${what}`
    case 'dispute_lost':
      return `Dispute lost: ${what}`
    case 'appeal_opened':
      return `Dispute lost on appeal: ${what}`
    case 'appeal_won':
      return `Dispute won on appeal: ${what}`
    case 'payout_failed':
      return `Payout ${returned_number} returned`
    case 'write_off':
      return 'Balance written off by Purser'
  }
}

/** The label and tone of a payout's status. */
export function payoutLabel(payout: Pick<Payout, 'status' | 'processor_payout_id'>) {
  const { status } = payout
  if (status === 'paid') return { label: 'Paid', tone: 'good' } as const
  if (wasRefused(payout)) return { label: 'Failed', tone: 'bad' } as const
  if (status === 'failed') return { label: 'Returned', tone: 'bad' } as const
  return { label: 'Pending', tone: 'info' } as const
}

/** The label of a payout's type. */
export function causeLabel({ cause }: Pick<Payout, 'cause'>): string {
  return cause === 'weekly' ? 'Weekly payout' : 'Requested payout'
}
