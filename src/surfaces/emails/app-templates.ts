import { formatDay } from '#design/money'
import type { Block, EmailContent } from './template.ts'

/** Staff approved external sales for an app, or refused them with a reason. */
export function approvalDecided(facts: {
  app_name: string
  is_approved: boolean
  is_published: boolean
  reason: string
  url: string
}): EmailContent {
  const { app_name, is_approved, is_published, reason, url } = facts
  const heading = is_approved ? `${app_name} is approved` : `${app_name} is not approved`
  const open = is_published
    ? 'Its Buy links work now.'
    : 'Its Buy links work once you publish the app.'
  const decision: Block[] = is_approved
    ? [{ kind: 'text', text: `External sales are enabled. ${open}` }]
    : [
        { kind: 'rows', rows: [['Reason', reason]] },
        { kind: 'text', text: 'Fix what the reason describes, then request approval again.' },
      ]
  const link: Block = { kind: 'link', label: 'Open the app', url }
  return { subject: heading, heading, blocks: [...decision, link] }
}

/** Invites a person to the team of a seller. */
export function memberInvitation(
  facts: { legal_name: string; inviter: string; role: string; email: string; expires_at: Date },
  url: string,
): EmailContent {
  const { legal_name, inviter, role, email, expires_at } = facts
  const heading = `Join ${legal_name} on Purser`
  return {
    subject: heading,
    heading,
    blocks: [
      {
        kind: 'rows',
        rows: [
          ['Seller', legal_name],
          ['Role', role],
          ['Invited by', inviter],
        ],
      },
      {
        kind: 'action',
        label: 'View the invitation',
        url,
        note: `Sign in as ${email}, or create an account with this email. The invitation expires on ${formatDay(expires_at)}.`,
      },
      { kind: 'text', text: 'If you did not expect this, you can ignore this email.' },
    ],
  }
}
