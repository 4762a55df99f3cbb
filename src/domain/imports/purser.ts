import { momentIn, readRow, recordOf, unknownStatus } from './cell.ts'
import type { SourceReader } from './record.ts'

const ENTITLED = ['active', 'trialing', 'one_time_active']
const STATUSES = [...ENTITLED, 'past_due', 'unpaid', 'paused', 'canceled']

/** The file `licenses.csv` of an export of this service, or the export of the list of licenses. */
export const purser: SourceReader = {
  label: 'Purser',
  file: 'licenses.csv of an export, with the keys if they should still work.',
  columns: {
    id: ['license_id'],
    email: ['email', 'customer'],
    product: ['app'],
    variant: ['plan', 'product_name'],
    status: ['status'],
    key: ['license_key'],
    renews_at: ['period_end'],
    bought_at: ['created_at', 'began'],
  },
  required: ['id', 'email', 'variant', 'status'],
  read: (cells, now) =>
    readRow(() => {
      const status = cells('status')
      if (!STATUSES.includes(status)) unknownStatus(status, STATUSES)
      return recordOf(cells, now, {
        kind: 'license',
        ends_at: momentIn(cells, 'renews_at', true),
        over: ENTITLED.includes(status) ? null : 'ended',
      })
    }),
}
