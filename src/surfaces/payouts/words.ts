import type { Payout, StatementLine } from '#domain/payouts'

const SALES = { purchase: 'Sale of', renewal: 'Renewal of', upgrade: 'Upgrade to' } as const

/** What a line of a statement is, in words. */
export function lineWords(line: StatementLine): string {
  const { event, invoice_kind, returned_number } = line
  const what = `${line.app_name} ${line.product_name}`
  if (event === 'sale') return `${SALES[invoice_kind!]} ${what}`
  if (event === 'refund') return `Refund of ${what}`
  if (event === 'dispute_opened') return `Dispute of ${what}`
  if (event === 'dispute_won') return `Dispute won: ${what}`
  if (event === 'dispute_lost') return `Dispute lost: ${what}`
  if (event === 'appeal_opened') return `Dispute lost on appeal: ${what}`
  if (event === 'appeal_won') return `Dispute won on appeal: ${what}`
  if (event === 'payout_failed') return `Payout ${returned_number} returned`
  return event === 'write_off' ? 'Balance written off by Purser' : event
}

/** How a payout stands, in words, and how good that is. */
export function payoutWords({ status }: Pick<Payout, 'status'>) {
  if (status === 'paid') return { words: 'Paid', tone: 'good' } as const
  if (status === 'failed') return { words: 'Returned', tone: 'bad' } as const
  return { words: 'Pending', tone: 'info' } as const
}

/** Why a payout was made, in words. */
export function causeWords({ cause }: Pick<Payout, 'cause'>): string {
  return cause === 'weekly' ? 'Weekly payout' : 'Requested payout'
}
