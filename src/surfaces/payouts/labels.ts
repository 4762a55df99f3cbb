import type { Payout, StatementLine } from '#domain/payouts'

const SALES = { purchase: 'Sale of', renewal: 'Renewal of', upgrade: 'Upgrade to' } as const

/** The label of a statement line. */
export function lineLabel(line: StatementLine): string {
  const { event, invoice_kind, returned_number, was_refused } = line
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
      return `Payout ${returned_number} ${was_refused ? 'failed' : 'returned'}`
    case 'write_off':
      return 'Balance written off by Purser'
  }
}

/** The label of a payout's type. */
export function causeLabel({ cause }: Pick<Payout, 'cause'>): string {
  return cause === 'weekly' ? 'Weekly payout' : 'Requested payout'
}
