import type { EmailTemplate } from '#platform/email-queue'
import { capitalized } from '#platform/text'

const LABELS: Record<EmailTemplate, string> = {
  account_deleted: 'Account deleted',
  app_decision: 'Decision about an app',
  app_transfer_decided: 'App transfer decided',
  app_transfer_offered: 'App transfer offered',
  approval_decided: 'Approval decided',
  bank_changed: 'Bank account changed',
  change_email: 'Link to change the email address',
  dispute_closed: 'Dispute closed',
  dispute_opened: 'Dispute opened',
  email_change_requested: 'Email change requested',
  email_changed: 'Email address changed',
  given_plan_ended: 'Given plan ended',
  import_ending: 'Imported license ends soon',
  license_ended: 'License ended',
  license_imported: 'License imported',
  member_invitation: 'Invitation to a seller’s team',
  payment_failed: 'Payment failed',
  payout_failed: 'Payout failed',
  payout_paid: 'Payout paid',
  plan_given: 'Plan given',
  receipt: 'Receipt',
  refund_issued: 'Refund issued',
  security: 'Security notice',
  seller_cancellation: 'Cancellation, to the seller',
  seller_decision: 'Decision about a seller',
  seller_failed_renewal: 'Failed renewal, to the seller',
  seller_sale: 'Sale, to the seller',
  set_password: 'Link to set a password',
  sign_in: 'Sign-in link',
  sign_up: 'Link to confirm an account',
  staff_invitation: 'Invitation to staff',
  subscription_canceled: 'Subscription canceled',
  trial_ending: 'Trial ends soon',
}

/** An email template in words; one that only another release has is named after its key. */
export function emailLabel(kind: string): string {
  const labels: Record<string, string> = LABELS
  return labels[kind] ?? capitalized(kind.replaceAll('_', ' '))
}
