/**
 * Closed sets of names that the platform stores without knowing them: audited actions, alarms,
 * email templates and tasks. A name that is not here does not compile, and what handles or shows
 * one has a record over all of them (decision 85).
 */

import type { ChangeAction } from '#domain/apps'

/** A change that an account's mailbox is notified of, in case its owner did not make it. */
export type SecurityChange =
  | 'password_changed'
  | 'authenticator_added'
  | 'authenticator_removed'
  | 'passkey_added'
  | 'passkey_removed'
  | 'recovery_codes_made'
  | 'agent_allowed'

/** What an account's owner does, or another person tries in their name. */
type AccountAction =
  | SecurityChange
  | 'data_exported'
  | 'deleted'
  | 'agent_disconnected'
  | 'app_disconnected'
  | 'email_change_requested'
  | 'email_changed'
  | 'not_me'
  | 'other_sessions_ended'
  | 'proof_refused'
  | 'proven_again'
  | 'recovery_code_used'
  | 'second_factor_refused'
  | 'session_ended'
  | 'set_password'
  | 'sign_in'
  | 'sign_in_refused'
  | 'sign_up'
  | 'signed_in'
  | 'signed_out'
  | 'signed_out_by_staff'
  | 'undo_email'
  | 'unlocked'
  | 'verify_email'

/** What staff decide about a seller, who is notified with the reason. */
export type SellerDecision = 'suspended' | 'reinstated' | 'payouts_paused' | 'payouts_resumed'

/** What staff decide about an app. */
export type AppDecision = 'suspended' | 'reinstated'

type Audited =
  | `account.${AccountAction}`
  | ChangeAction
  | 'access.refused'
  | 'affiliate.joined'
  | 'alarm.resolved'
  | 'app.add_on_disabled'
  | 'app.add_on_enabled'
  | 'app.approval_requested'
  | 'app.approved'
  | 'app.archived'
  | 'app.clock_advanced'
  | 'app.created'
  | 'app.details_changed'
  | 'app.icon_changed'
  | 'app.import_deleted'
  | 'app.import_finished'
  | 'app.import_started'
  | 'app.pauses_allowed'
  | 'app.pauses_refused'
  | 'app.plan_highlighted'
  | 'app.published'
  | 'app.refused'
  | 'app.reinstated'
  | 'app.restored'
  | 'app.screenshot_added'
  | 'app.screenshot_described'
  | 'app.screenshot_removed'
  | 'app.screenshots_arranged'
  | 'app.suspended'
  | 'app.transfer_declined'
  | 'app.transfer_offered'
  | 'app.transfer_withdrawn'
  | 'app.transferred'
  | 'app.unpublished'
  | 'attempt.closed'
  | 'audit_log.exported'
  | 'buyer.paid_otherwise'
  | 'charge.refund'
  | 'debt.written_off'
  | 'discount.created'
  | 'discount.turned_off'
  | 'discount.turned_on'
  | 'dispute.evidence_sent'
  | 'email.resent'
  | 'excess.repaid'
  | 'job.canceled'
  | 'job.discarded'
  | 'job.retried'
  | 'license.auto_renew_off'
  | 'license.auto_renew_on'
  | 'license.comped'
  | 'license.ended'
  | 'license.key_rotated'
  | 'license.pause_planned'
  | 'license.pause_withdrawn'
  | 'license.plan_change'
  | 'license.plan_change_withdrawn'
  | 'license.preview_ended'
  | 'license.preview_granted'
  | 'license.reinstated'
  | 'license.suspended'
  | 'license.trial_extended'
  | 'seller.data_exported'
  | 'seller.details_changed'
  | 'seller.invitation_withdrawn'
  | 'seller.member_changed'
  | 'seller.member_invited'
  | 'seller.member_joined'
  | 'seller.member_removed'
  | 'seller.ownership_transferred'
  | 'seller.payouts_paused'
  | 'seller.payouts_resumed'
  | 'seller.reinstated'
  | 'seller.started'
  | 'seller.suspended'
  | 'seller.terms_accepted'
  | 'seller.viewed'
  | 'seller.viewing_ended'
  | 'staff.added'
  | 'staff.invitation_withdrawn'
  | 'staff.invited'
  | 'staff.removed'
  | 'staff.role_changed'
  | 'suspense.booked'
  | 'tax.filed'
  | 'tax.filing_corrected'

declare module '#platform/audit' {
  interface AuditActions extends Record<Audited, true> {}
}

declare module '#platform/alarms' {
  interface AlarmKinds {
    /** The balance at the processor does not cover a payout. */
    balance_short: true
    /** A person disowned an account with a paid license that could not be refunded. */
    disowned_purchase: true
    /** A bank decided a dispute on appeal. */
    dispute_appeal: true
    /** A dispute that was lost on appeal gave its buyer more than was left of the charge. */
    dispute_in_excess: true
    /** A bank decided a dispute again after an appeal, which is not recorded. */
    dispute_reversed: true
    /** No template of this release can write an email. */
    email_unwritten: true
    /** A check of the ledger found differences. */
    ledger_differs: true
    /** A payout failed or was returned, and its payee deleted their account. */
    payee_left: true
    /** The processor reports something that only staff can act on. */
    processor_notice: true
    /** The processor refused a request that it must not refuse. */
    processor_refused: true
    /** A refund that was made at the processor gave its buyer more than was left of the charge. */
    refund_in_excess: true
    /** A refund was made at the processor itself. */
    refund_made_outside: true
    /** The processor has a record that a restored database does not know. */
    restored_unknown: true
  }
}

declare module '#platform/email-queue' {
  interface EmailTemplates {
    // To the owner of an account, about signing in and its safety.
    account_deleted: { sealed_to: string }
    change_email: NoFacts
    email_change_requested: NoFacts
    email_changed: NoFacts
    security: { what: SecurityChange | 'recovery_code_used'; name?: string }
    // The language is that of the page on which they were requested.
    set_password: { return_to?: string; language?: string }
    sign_in: { return_to?: string; language?: string }
    sign_up: NoFacts
    // To a person who is invited to staff.
    staff_invitation: NoFacts
    // To a buyer, about money.
    excess_repaid: NoFacts
    excess_waived: NoFacts
    given_plan_ended: NoFacts
    import_ending: NoFacts
    key_replaced: NoFacts
    license_ended: NoFacts
    license_imported: NoFacts
    license_reinstated: NoFacts
    license_suspended: NoFacts
    paid_otherwise: NoFacts
    payment_failed: NoFacts
    plan_given: NoFacts
    receipt: NoFacts
    refund_issued: NoFacts
    refund_returned: NoFacts
    renewal_reminder: NoFacts
    subscription_canceled: NoFacts
    trial_ending: NoFacts
    // To a seller or an affiliate, about money.
    bank_changed: { bank: string; before?: string }
    dispute_closed: NoFacts
    dispute_opened: NoFacts
    payout_failed: NoFacts
    payout_paid: NoFacts
    refund_by_us: NoFacts
    // To a seller, about an app.
    app_decision: { what: AppDecision; reason: string }
    app_transfer_decided: { to: 'former' | 'new' }
    app_transfer_offered: NoFacts
    approval_decided: NoFacts
    member_invitation: NoFacts
    seller_decision: { what: SellerDecision; reason: string }
    // To a seller, about a buyer.
    seller_cancellation: NoFacts
    seller_failed_renewal: NoFacts
    seller_sale: NoFacts
  }
}

declare module '#platform/tasks' {
  interface TaskKinds {
    check_books: true
    clock_advance: true
    export_audit: true
    export_customers: true
    export_licenses: true
    export_person: true
    export_sales: true
    export_seller: true
    export_subscriptions: true
    export_tax_lines: true
    export_tax_states: true
    import_check: true
    import_delete: true
    import_read: true
    import_run: true
    receive_events: true
    scenario: true
    tax_month: true
  }
}
