import { formatMoney } from '#design/money'
import type * as billing from '#domain/billing'
import type { OutsideDue } from './clock-work.ts'

const TRIGGERS: Record<string, string> = {
  purchase: 'bought a plan',
  preview: 'started a preview',
  renewed: 'renewed',
  upgraded: 'moved up to another plan',
  plan_changed: 'moved to another plan',
  renewal_failed: 'the renewal failed',
  retries_ended: 'one last retry is left',
  recovered: 'recovered: the same key works again',
  dunning_exhausted: 'every retry failed',
  period_ended: 'ended with the paid period',
  refunded: 'ended by the refund',
  disputed: 'paused by the dispute',
  suspended: 'suspended by staff',
  buyer_paused: 'paused by the buyer',
  resumed: 'goes on: the same key works again',
  dispute_lost: 'ended by the lost dispute',
  preview_ended: 'the preview ended',
}

const EMAIL_NAMES: Record<string, string> = {
  receipt: 'Receipt',
  payment_failed: 'A payment failed',
  license_ended: 'The plan has ended',
  trial_ending: 'The trial ends soon',
  refund_issued: 'A refund was issued',
  dispute_opened: 'A payment is disputed',
  dispute_closed: 'A dispute was decided',
  payout_paid: 'A payout arrived',
  payout_failed: 'A payout came back',
}

const BILLS: Record<string, string> = {
  purchase: 'Purchase paid',
  renewal: 'Renewal paid',
  upgrade: 'Upgrade paid',
}

/** What happened, in a few words. */
export function eventWords({ kind, why }: Pick<billing.TimelineEvent, 'kind' | 'why'>): string {
  switch (kind) {
    case 'status':
      return `License: ${TRIGGERS[why] ?? plain(why)}`
    case 'paid':
      return BILLS[why] ?? plain(why)
    case 'declined':
      return `Card declined: ${plain(why)}`
    case 'refund':
      return 'Refund'
    case 'dispute_opened':
      return `Dispute opened: ${plain(why)}`
    case 'dispute_closed':
      return `Dispute ${why}`
    case 'email':
      return `Letter: ${EMAIL_NAMES[why] ?? plain(why)}`
    case 'payout':
      return why === 'weekly' ? 'Weekly payout on its way' : 'Payout on its way'
    case 'payout_settled':
      return why === 'paid' ? 'Payout arrived' : 'Payout came back'
  }
}

/** A code as words. */
export function plain(code: string): string {
  return code.replaceAll('_', ' ')
}

/** What is due of a subscription, as it reads after the buyer's address. */
export function stepWords(
  step: billing.NextStep,
  { status }: Pick<billing.Subscriber, 'status'>,
  total?: number,
): string {
  const sum = total === undefined ? '' : ` for ${formatMoney(total)}`
  switch (step) {
    case 'remind':
      return 'is told that the trial ends soon'
    case 'renew':
      return status === 'trialing' ? `ends the trial and pays${sum}` : `renews${sum}`
    case 'retry':
      return `has the card tried again${sum}`
    case 'skip_retry':
      return 'would have the card tried again, but the bank has refused it for good'
    case 'end':
      return 'leaves'
    case 'pause':
      return 'pauses'
    case 'rest':
      return 'is looked at again'
  }
}

/** What is due beside the subscriptions. */
export function outsideWords({ what }: OutsideDue): string {
  return what === 'bank' ? 'A bank answers' : 'The weekly payouts are made'
}
