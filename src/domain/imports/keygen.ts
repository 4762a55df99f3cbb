import { flagIn, momentIn, readRow, recordOf, unknownStatus } from './cell.ts'
import type { SourceReader } from './record.ts'

const STATUSES = ['active', 'inactive', 'expiring', 'expired', 'suspended', 'banned']

/** The licenses of Keygen, with the attributes of its API as columns. */
export const keygen: SourceReader = {
  label: 'Keygen',
  file: 'Licenses, as a CSV file of the attributes of its API, with the email of the owner.',
  columns: {
    id: ['id', 'license_id'],
    email: ['email', 'user_email', 'owner_email', 'metadata.email', 'attributes.metadata.email'],
    product: ['product', 'product_name', 'policy', 'policy_name'],
    variant: ['policy_name', 'name', 'attributes.name'],
    status: ['status', 'attributes.status'],
    key: ['key', 'attributes.key'],
    ends_at: ['expiry', 'attributes.expiry', 'expires_at'],
    bought_at: ['created', 'attributes.created'],
    revoked: ['suspended', 'attributes.suspended'],
  },
  required: ['id', 'email', 'key'],
  read: (cells, now) =>
    readRow(() => {
      const status = cells('status').toLowerCase()
      if (status !== '' && !STATUSES.includes(status)) unknownStatus(status, STATUSES)
      const isRevoked = status === 'suspended' || status === 'banned' || flagIn(cells, 'revoked')
      const over = isRevoked ? 'revoked' : status === 'expired' ? 'ended' : null
      return recordOf(cells, now, {
        kind: 'license',
        ends_at: momentIn(cells, 'ends_at', true),
        over,
      })
    }),
}
