import { flagIn, momentIn, paidUntil, periodIn, readRow, recordOf } from './cell.ts'
import type { SourceReader } from './record.ts'

/** The sales of Gumroad, with the column names of its export. */
export const gumroad: SourceReader = {
  label: 'Gumroad',
  file: 'Sales: open Analytics, then Sales, and choose Export.',
  columns: {
    id: ['Purchase ID'],
    email: ['Purchase Email', 'Buyer Email', 'Email'],
    product: ['Item Name', 'Product Name'],
    variant: ['Variants'],
    key: ['License Key'],
    bought_at: ['Purchase Date', 'Purchase Time (UTC timezone)'],
    ends_at: ['Subscription End Date'],
    interval: ['Recurrence'],
    amount: ['Item Price ($)', 'Sale Price ($)'],
    refunded: ['Fully Refunded?'],
    revoked: ['Access Revoked?'],
    disputed: ['Disputed?'],
    dispute_won: ['Dispute Won?'],
    enabled: ['License Key Enabled?'],
  },
  required: ['id', 'email', 'product', 'bought_at'],
  read: (cells, now) =>
    readRow(() => {
      // The last row of the export has the sums.
      if (cells('id') === 'Totals') return 'ignored'
      const period = periodIn(cells)
      const paid_until = paidUntil(cells, period)
      const ended_at = momentIn(cells, 'ends_at', true)
      const ends_at = ended_at && (!paid_until || ended_at < paid_until) ? ended_at : paid_until
      const isDisabled = cells('enabled') !== '' && !flagIn(cells, 'enabled')
      const isRevoked = flagIn(cells, 'revoked') || isDisabled
      const isLost = flagIn(cells, 'disputed') && !flagIn(cells, 'dispute_won')
      const isPaidBack = flagIn(cells, 'refunded') || isLost
      const over = isPaidBack ? 'refunded' : isRevoked ? 'revoked' : null
      return recordOf(cells, now, { kind: 'sale', ends_at, over, period, in_dollars: true })
    }),
}
