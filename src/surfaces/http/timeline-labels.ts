import type { TimelineEvent } from '#domain/billing'
import { emailLabel } from './email-labels.ts'

const TRIGGERS: Record<string, string> = {
  purchase: 'bought a plan',
  preview: 'started a preview',
  comp: 'the seller gave a plan',
  import: 'the seller imported it',
  renewed: 'renewed',
  upgraded: 'upgraded to another plan',
  plan_changed: 'changed plan',
  trial_extended: 'the seller extended the trial',
  renewal_failed: 'the renewal failed',
  retries_ended: 'one last retry is left',
  recovered: 'recovered: the same key works again',
  dunning_exhausted: 'every retry failed',
  period_ended: 'ended with the paid period',
  refunded: 'ended by the refund',
  disputed: 'paused by the dispute',
  suspended: 'paused by staff',
  buyer_paused: 'paused by the buyer',
  resumed: 'resumed: the same key works again',
  dispute_lost: 'ended by the lost dispute',
  preview_ended: 'the preview ended',
  comp_ended: 'the given plan ended',
  import_changed: 'a newer import',
  import_ended: 'the imported license ended',
  source_ended: 'a newer import ended it',
  continued: 'the buyer continued the imported license with a card',
  account_deleted: 'ended because the buyer’s account was deleted',
}

const INVOICE_LABELS: Record<string, string> = {
  purchase: 'Purchase paid',
  renewal: 'Renewal paid',
  upgrade: 'Upgrade paid',
}

/** A timeline event as a short label. */
export function eventText({ kind, why }: Pick<TimelineEvent, 'kind' | 'why'>): string {
  switch (kind) {
    case 'status':
      return `License: ${TRIGGERS[why] ?? plain(why)}`
    case 'paid':
      return INVOICE_LABELS[why] ?? plain(why)
    case 'declined':
      return why === 'generic_decline'
        ? 'Card declined by the bank'
        : `Card declined: ${plain(why)}`
    case 'refund':
      return 'Refund'
    case 'refund_returned':
      return 'Refund returned by the bank'
    case 'inquiry_opened':
      return `Inquiry opened: ${plain(why)}`
    case 'inquiry_closed':
      return 'Inquiry closed'
    case 'dispute_opened':
      return `Dispute opened: ${plain(why)}`
    case 'dispute_closed':
      return `Dispute ${why}`
    case 'email':
      return `Email: ${emailLabel(why)}`
    case 'payout':
      return why === 'weekly' ? 'Weekly payout created' : 'Payout created'
    case 'payout_settled':
      return `Payout ${why}`
  }
}

/** A code with spaces for underscores. */
function plain(code: string): string {
  return code.replaceAll('_', ' ')
}
