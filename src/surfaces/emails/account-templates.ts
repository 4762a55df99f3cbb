import type { EmailTemplates } from '#platform/email-queue'
import type { EmailContent } from './template.ts'

type Security = EmailTemplates['security']

const NOT_REQUESTED = 'If you did not request this, you can ignore this email.'

/** The last email to the address of a deleted account. */
export function accountDeleted(support_email: string): EmailContent {
  return {
    subject: 'Your Purser account was deleted',
    heading: 'Your account was deleted',
    blocks: [
      {
        kind: 'text',
        text: 'Your account and this address were removed, and your licenses ended. Invoices and payments are kept without your address, as the law requires.',
      },
      {
        kind: 'text',
        text: `This cannot be undone. If you did not request it, write to ${support_email}.`,
      },
    ],
  }
}

/** The email with a sign-in link. */
export function signInLink(url: string): EmailContent {
  return {
    subject: 'Your sign-in link for Purser',
    heading: 'Sign in to Purser',
    blocks: [
      {
        kind: 'link',
        label: 'Sign in',
        url,
        note: 'This link works once and expires in 20 minutes.',
      },
      { kind: 'text', text: NOT_REQUESTED },
    ],
  }
}

/** The email with a link to set a password. */
export function setPassword(url: string): EmailContent {
  return {
    subject: 'Set a new password for Purser',
    heading: 'Set a new password',
    blocks: [
      {
        kind: 'link',
        label: 'Set a password',
        url,
        note: 'This link works once and expires in 7 days.',
      },
      { kind: 'text', text: NOT_REQUESTED },
    ],
  }
}

/** The email that confirms a sign-up. */
export function signUpLink(url: string): EmailContent {
  return {
    subject: 'Confirm your email for Purser',
    heading: 'Confirm your email to finish your account',
    blocks: [
      {
        kind: 'link',
        label: 'Confirm my email',
        url,
        note: 'This link works once and expires in 7 days.',
      },
      { kind: 'text', text: `${NOT_REQUESTED} No account is created unless you confirm.` },
    ],
  }
}

/** The email for a sign-up with the email of an existing account. */
export function accountExists(url: string): EmailContent {
  return {
    subject: 'You already have a Purser account',
    heading: 'You already have an account',
    blocks: [
      {
        kind: 'text',
        text: 'We received a request to create an account with this email. It already has one, so nothing was changed.',
      },
      {
        kind: 'link',
        label: 'Sign in',
        url,
        note: 'This link works once and expires in 20 minutes.',
      },
    ],
  }
}

const CHANGES: Record<Security['what'], [subject: string, sentence: string]> = {
  password_changed: ['Your password was changed', 'The password of your account was changed.'],
  authenticator_added: [
    'An authenticator app was added',
    'Signing in now requires a code from your authenticator app.',
  ],
  authenticator_removed: [
    'Your authenticator app was removed',
    'Authenticator codes are turned off for your account.',
  ],
  passkey_added: ['A passkey was added', 'You can now sign in with your new passkey.'],
  passkey_removed: ['A passkey was removed', 'A passkey was removed from your account.'],
  recovery_codes_made: [
    'New recovery codes were created',
    'Your account has ten new recovery codes. Your previous codes no longer work.',
  ],
  agent_allowed: [
    'An agent was given access to your apps',
    'An agent can now manage your apps with the permissions that you allowed. You can revoke its access under Connections at any time.',
  ],
  recovery_code_used: [
    'A recovery code was used',
    'One of your recovery codes was used to sign in to your account.',
  ],
}

/** Whether there is an email about a security change of this name. */
export function isSecurityChange(what: unknown): what is Security['what'] {
  return typeof what === 'string' && Object.hasOwn(CHANGES, what)
}

/** The email about a security change, with a link to secure the account. */
export function securityChanged(
  facts: Security,
  urls: { security: string; sign_in: string },
): EmailContent {
  const [subject, sentence] = CHANGES[facts.what]
  return {
    subject,
    heading: 'Was this you?',
    blocks: [
      { kind: 'text', text: sentence },
      ...(facts.name ? [{ kind: 'rows' as const, rows: [['Name', facts.name]] as TermRow[] }] : []),
      {
        kind: 'text',
        text: 'If this was you, no action is needed. If not, set a new password. This signs out every browser.',
      },
      { kind: 'link', label: 'Review your account', url: urls.security },
      {
        kind: 'link',
        label: 'I forgot my password',
        url: urls.sign_in,
        note: 'We email you a link to set a new one.',
      },
    ],
  }
}

type TermRow = [term: string, value: string]

/** The email that confirms a new address before it is used. */
export function confirmNewEmail(old_email: string, url: string): EmailContent {
  return {
    subject: 'Confirm your new email for Purser',
    heading: 'Confirm your new email',
    blocks: [
      { kind: 'rows', rows: [['Account', old_email]] },
      {
        kind: 'link',
        label: 'Confirm my new email',
        url,
        note: 'This link works once and expires in 24 hours.',
      },
      { kind: 'text', text: NOT_REQUESTED },
    ],
  }
}

/** The email to a new address that already has an account. */
export function newEmailTaken(): EmailContent {
  return {
    subject: 'This email already has a Purser account',
    heading: 'This email already has an account',
    blocks: [
      {
        kind: 'text',
        text: 'We received a request to use this email for another account. It already has an account, so nothing was changed.',
      },
    ],
  }
}

/** The email to the old address about a requested or completed change, with a link to undo it. */
export function emailChange(
  change: { old_email: string; new_email: string; done_at: Date | null },
  undo_url: string,
): EmailContent {
  const done = change.done_at !== null
  return {
    subject: done ? 'Your email was changed' : 'Your email is about to change',
    heading: 'Was this you?',
    blocks: [
      {
        kind: 'text',
        text: done
          ? 'The email of your account was changed.'
          : 'We received a request to change the email of your account. It changes once the new email is confirmed.',
      },
      {
        kind: 'rows',
        rows: [
          [done ? 'Previous email' : 'Current email', change.old_email],
          ['New email', change.new_email],
        ],
      },
      {
        kind: 'link',
        label: 'This was not me: keep my email',
        url: undo_url,
        note: 'This link works for 7 days. It signs out every browser and lets you set a new password.',
      },
    ],
  }
}

/** The email that invites a person to staff. */
export function staffInvitation(
  facts: { operator: string; inviter: string; role: string; hours: number },
  url: string,
): EmailContent {
  return {
    subject: `Join the staff of ${facts.operator}`,
    heading: `Join the staff of ${facts.operator}`,
    blocks: [
      {
        kind: 'rows',
        rows: [
          ['Invited by', facts.inviter],
          ['Role', facts.role],
        ],
      },
      {
        kind: 'link',
        label: 'View the invitation',
        url,
        note: `This link works once and expires in ${facts.hours} hours.`,
      },
      { kind: 'text', text: 'If you did not expect this, you can ignore this email.' },
    ],
  }
}
