import { formatDay } from '#design/money'
import type { EmailContent } from './template.ts'

/** An app is offered to the owner of an email. */
export function transferOffered(facts: {
  app_name: string
  /** The seller who offers it. */
  legal_name: string
  reason: string
  email: string
  expires_at: Date
  url: string
}): EmailContent {
  const { app_name, legal_name, reason, email, expires_at, url } = facts
  const heading = `${legal_name} offers you ${app_name}`
  return {
    subject: heading,
    heading,
    blocks: [
      {
        kind: 'rows',
        rows: [
          ['App', app_name],
          ['Seller', legal_name],
          ['Reason', reason],
        ],
      },
      {
        kind: 'action',
        label: 'View the offer',
        url,
        note: `Sign in as ${email}, or create an account with this email. The offer expires on ${formatDay(expires_at)}.`,
      },
      { kind: 'text', text: 'If you did not expect this, you can ignore this email.' },
    ],
  }
}

/** The offer was answered: to the former seller, and to the new one if it was accepted. */
export function transferDecided(facts: {
  app_name: string
  to: 'former' | 'new'
  /** The new seller; undefined if the offer was declined. */
  legal_name: string | undefined
  url: string
}): EmailContent {
  const { app_name, to, legal_name, url } = facts
  if (legal_name === undefined) {
    const heading = `The transfer of ${app_name} was declined`
    return {
      subject: heading,
      heading,
      blocks: [
        { kind: 'text', text: `${app_name} stays with you, and nothing has changed.` },
        { kind: 'link', label: 'View your apps', url },
      ],
    }
  }
  if (to === 'new') {
    const heading = `${app_name} is now yours`
    const text = `From now on, ${legal_name} is paid for new sales and renewals. Create a client secret, check the URLs under Integration, and request approval.`
    return {
      subject: heading,
      heading,
      blocks: [
        { kind: 'text', text },
        { kind: 'link', label: 'Open the app', url },
      ],
    }
  }
  const heading = `${app_name} was transferred to ${legal_name}`
  const text =
    'Your team and your agents no longer have access to it, and its client secret is revoked. Your past sales stay in your balance, with their refunds and disputes.'
  return {
    subject: heading,
    heading,
    blocks: [
      { kind: 'text', text },
      { kind: 'link', label: 'View your apps', url },
    ],
  }
}
