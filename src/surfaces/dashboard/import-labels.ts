import type { ImportField, RowOutcome } from '#domain/imports'

/** The label of each outcome of a row. */
export const OUTCOME_LABELS: Record<RowOutcome, string> = {
  create: 'License created',
  create_key_taken:
    'License created with a new key: the old key belongs to another buyer’s license',
  create_key_replaced: 'License created with a new key: the old key was replaced before',
  update: 'Plan or end date changed',
  update_key_taken:
    'Plan or end date changed, key not added: it belongs to another buyer’s license',
  update_key_replaced:
    'Plan or end date changed, key not added: another buyer had it, and it was replaced',
  end: 'License ended',
  add_key: 'Key added to the buyer’s license',
  key_taken: 'Key not added: it belongs to another buyer’s license',
  key_replaced: 'Key not added: another buyer had it, and it was replaced',
  unchanged: 'Unchanged',
  duplicate: 'Another row for this buyer is imported',
  owned: 'The buyer already has a license',
  ends_earlier: 'The buyer’s license ends earlier: import again after its end',
  add_key_ends_earlier:
    'Key added to the buyer’s license, which ends earlier: import again after its end',
  over: 'Ended, unpaid, refunded or revoked: not imported',
  ended_here: 'The license has ended on Purser',
  buying: 'The buyer is paying now: import the file again later',
  skipped: 'Product not imported',
}

/** The fields of a row, as the seller knows them. */
export const FIELD_LABELS: Record<ImportField, string> = {
  id: 'ID',
  email: 'Buyer email',
  product: 'Product',
  variant: 'Variant',
  status: 'Status',
  key: 'License key',
  ends_at: 'Ends on',
  renews_at: 'Paid until',
  bought_at: 'Bought on',
  interval: 'Billing interval',
  interval_count: 'Intervals per period',
  amount: 'Price',
  currency: 'Currency',
  refunded: 'Refunded',
  revoked: 'Revoked or suspended',
  disputed: 'Disputed',
  dispute_won: 'Dispute won',
  enabled: 'Key enabled',
  reason: 'Reason for the charge',
}
