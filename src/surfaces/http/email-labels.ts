import type { EmailTemplate } from '#platform/email-queue'
import { capitalized } from '#platform/text'

/** Looked up by what was read, and complete. */
const EMAIL_NAMES: Record<string, string> = {
  account_deleted: 'Account deleted',
  app_decision: 'App suspended or reinstated',
  app_transfer_decided: 'App transfer decided',
  app_transfer_offered: 'App transfer offered',
  approval_decided: 'External sales approved or refused',
  bank_changed: 'Bank account changed',
  change_email: 'Confirm the new email',
  dispute_closed: 'Dispute or inquiry closed',
  dispute_opened: 'Dispute or inquiry opened',
  email_change_requested: 'Email change requested',
  email_changed: 'Email changed',
  excess_repaid: 'Excess repaid',
  excess_waived: 'Excess written off',
  member_invitation: 'Invitation to a team',
  given_plan_ended: 'Given plan ended',
  import_ending: 'Imported license ending',
  key_replaced: 'License key replaced',
  license_ended: 'License ended',
  license_imported: 'License imported',
  license_reinstated: 'License reinstated',
  license_suspended: 'License suspended',
  paid_otherwise: 'Repaid, not to the card',
  payment_failed: 'Payment failed',
  payout_failed: 'Payout failed or returned',
  payout_paid: 'Payout paid',
  plan_given: 'Plan given',
  receipt: 'Receipt',
  refund_by_us: 'Refund by us, to the seller',
  refund_issued: 'Refund issued',
  refund_returned: 'Refund returned by the bank',
  renewal_reminder: 'Renewal reminder',
  security: 'Account security',
  seller_cancellation: 'Cancellation, to the seller',
  seller_decision: 'Seller suspended, or payouts paused',
  seller_failed_renewal: 'Failed renewal, to the seller',
  seller_sale: 'New sale, to the seller',
  set_password: 'Set a password',
  sign_in: 'Sign-in link',
  sign_up: 'Confirm your email',
  staff_invitation: 'Invitation to staff',
  subscription_canceled: 'Auto-renew off',
  trial_ending: 'Trial ending',
} satisfies Record<EmailTemplate, string>

/** An email template in words; one that only another release has is named after its key. */
export function emailLabel(kind: string): string {
  return EMAIL_NAMES[kind] ?? capitalized(kind.replaceAll('_', ' '))
}
