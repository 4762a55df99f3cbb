import type { SellerInvoice, SellerInvoiceStatus } from '#domain/billing'
import type { CustomerLicense } from '#domain/payments'
import * as sellers from '#domain/sellers'
import { resendReceipt } from '#flows/resend-receipt'
import { rotateKey } from '#flows/rotate-key'
import { endNow, extendTrial, resendKeyEmail, setAutoRenew } from '#flows/subscription'
import type { World } from '#flows/world'
import type { ActionNote } from '#http/action-note'
import type { AppSalesContext } from '#http/guards/seller-or-staff'
import type { ActorOf } from '#platform/audit'

/** A link to an action on a customer's page. */
export interface ActionLink {
  href: string
  label: string
  is_final?: boolean
}

/** The input of an action. */
interface ActionInput {
  license: CustomerLicense
  actor: ActorOf<'seller'>
  reason: string
  days: number
  /** The key that the form was about, by `licensing.keyName`. */
  replaces: string
  /** The end of the period that the form was about, by `endOf`. */
  from: string
}

/** The end of a license's period for a form; empty if it has none. */
export function endOf({ period_end }: CustomerLicense): string {
  return period_end?.toISOString() ?? ''
}

/** An action that a member may take on a license. */
export interface CustomerAction {
  /** Names the action: in the list of actions, and on the page and the button that take it. */
  label: string
  is_final?: boolean
  /** Whether it asks for a number of days. */
  has_days?: boolean
  /** What the action does. */
  text: string
  isPossible(license: CustomerLicense): boolean
  /** Returns the name of the message about the result. */
  run(world: World, given: ActionInput): Promise<string>
}

const isRenewing = ({ period_end, status }: CustomerLicense) =>
  period_end !== null && status !== 'canceled'
const isLive = ({ status }: CustomerLicense) => status !== 'canceled'
const isLiveUncharged = (license: CustomerLicense) =>
  license.origin !== 'purchase' && isLive(license)

/** The actions on a license, by their names in URLs. */
export const ACTIONS: Record<string, CustomerAction> = {
  cancel: {
    label: 'Cancel at period end',
    text: 'The license stays valid until the end of the paid period, and nothing more is charged. A license with an overdue payment, or one that the buyer paused, ends now. The buyer gets an email, and can turn renewal on again until then.',
    isPossible: (license) => isRenewing(license) && license.auto_renew,
    async run(world, { license: { license_id }, actor, reason }) {
      const off = { license_id, to: 'off', reason } as const
      return (await setAutoRenew(world, actor, off)) ? 'canceled' : 'changed'
    },
  },
  end: {
    label: 'Cancel now',
    is_final: true,
    text: 'The license ends now, and its key stops working. Nothing is refunded: refund an invoice first if the buyer should get money back. The buyer gets an email. This cannot be undone.',
    isPossible: (license) => isRenewing(license) || isLiveUncharged(license),
    async run(world, { license: { license_id }, actor, reason }) {
      return (await endNow(world, actor, { license_id, reason })) ? 'ended' : 'changed'
    },
  },
  'extend-trial': {
    label: 'Extend trial',
    has_days: true,
    text: 'The trial ends later, and so does its first charge. The buyer gets the usual email three days before the new end.',
    isPossible: ({ status }) => status === 'trialing',
    async run(world, { license: { license_id }, actor, reason, days, from: text }) {
      const from = new Date(text)
      if (Number.isNaN(from.getTime())) return 'changed'
      const { outcome } = await extendTrial(world, actor, { license_id, from, days, reason })
      if (outcome === 'moved') return 'trial_moved'
      return outcome === 'extended' ? 'extended' : 'changed'
    },
  },
  'replace-key': {
    label: 'Replace key',
    text: 'The buyer gets a new key by email. The old key stops working now. You do not see either key.',
    isPossible: isLive,
    async run(world, { license, actor, reason, replaces }) {
      const { license_id, app_id } = license
      // Sending the same form twice replaces one key.
      const rotation_key = `seller ${replaces}`.slice(0, 64)
      const change = { app_id, license_id, actor, rotation_key, reason }
      const { outcome } = await rotateKey(world, change)
      return outcome === 'rotated' ? 'key_replaced' : 'changed'
    },
  },
  'resend-receipt': {
    label: 'Resend receipt',
    text: 'The buyer gets the receipt of the purchase again, with the current key.',
    isPossible: (license) => license.order_id !== null && isLive(license),
    async run(world, { license, actor, reason }) {
      const { outcome } = await resendReceipt(world, license.order_id!, { actor, reason })
      return outcome === 'sent' ? 'resent' : 'too_often'
    },
  },
  'resend-key': {
    label: 'Resend email',
    text: 'The person gets the email about this plan again, with the current key.',
    isPossible: isLiveUncharged,
    async run(world, { license: { license_id }, actor, reason }) {
      const is_sent = await resendKeyEmail(world, license_id, { actor, reason })
      return is_sent ? 'email_resent' : 'too_often'
    },
  },
}

/** The messages after an action, by the value of `?done=`. */
export const NOTES: Record<string, ActionNote> = {
  canceled: { tone: 'success', text: 'Canceled. Nothing more is charged.' },
  ended: { tone: 'success', text: 'Canceled. The license has ended.' },
  extended: { tone: 'success', text: 'Trial extended.' },
  trial_moved: {
    tone: 'warning',
    text: 'Nothing was changed. The end of the trial has changed since the form was opened.',
  },
  key_replaced: { tone: 'success', text: 'Key replaced. The buyer gets the new one by email.' },
  resent: { tone: 'success', text: 'Receipt sent.' },
  email_resent: { tone: 'success', text: 'Email sent.' },
  given: { tone: 'success', text: 'Plan given. The email with the key is on its way.' },
  too_often: {
    tone: 'warning',
    text: 'Not sent: this email was sent several times in the last hour. Try again later.',
  },
  changed: {
    tone: 'warning',
    text: 'Nothing was changed. The license’s current status does not allow this.',
  },
}

/** Statuses of an invoice that may be refunded, or refunded further. */
const REFUNDABLE: readonly SellerInvoiceStatus[] = ['paid', 'refund_pending', 'partly_refunded']

/** The links to what this member may do about a license now. */
export function actionsFor(
  { member, base }: AppSalesContext,
  license: CustomerLicense,
  invoices: SellerInvoice[],
): ActionLink[] {
  if (!sellers.isAllowed(member.role, 'support')) return []
  const charged = invoices.find(({ charged, refunded, status }) => {
    return refunded < charged && REFUNDABLE.includes(status)
  })
  return [
    ...(charged ? [{ href: `${base}/sales/${charged.id}/refund`, label: 'Refund' }] : []),
    ...Object.entries(ACTIONS)
      .filter(([, { isPossible }]) => isPossible(license))
      .map(([name, { label, is_final = false }]) => {
        return { href: `${base}/customers/${license.license_id}/${name}/`, label, is_final }
      }),
  ]
}
