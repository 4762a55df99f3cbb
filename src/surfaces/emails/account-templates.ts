import type { EmailTemplates } from '#platform/email-queue'
import type { Locale } from '#platform/language/locale'
import type { Block, EmailContent } from './template.ts'

type Security = EmailTemplates['security']

/** The last email to the address of a deleted account. */
export function accountDeleted({ t }: Locale, support_email: string): EmailContent {
  return {
    subject: t('email.deleted_subject'),
    heading: t('email.deleted_heading'),
    blocks: [
      { kind: 'text', text: t('email.deleted_text') },
      { kind: 'text', text: t('email.deleted_final', { email: support_email }) },
    ],
  }
}

/** The email with a sign-in link. */
export function signInLink({ t }: Locale, url: string): EmailContent {
  return {
    subject: t('email.sign_in_subject'),
    heading: t('email.sign_in_heading'),
    blocks: [
      {
        kind: 'action',
        label: t('email.sign_in'),
        url,
        note: t('email.works_20_minutes'),
      },
      { kind: 'text', text: t('email.not_requested') },
    ],
  }
}

/** The email with a link to set a password. */
export function setPassword({ t }: Locale, url: string): EmailContent {
  return {
    subject: t('email.new_password_subject'),
    heading: t('email.new_password_heading'),
    blocks: [
      {
        kind: 'action',
        label: t('email.set_password'),
        url,
        note: t('email.works_1_hour'),
      },
      { kind: 'text', text: t('email.not_requested') },
    ],
  }
}

/** The email that confirms a sign-up. */
export function signUpLink({ t }: Locale, url: string): EmailContent {
  return {
    subject: t('email.sign_up_subject'),
    heading: t('email.sign_up_heading'),
    blocks: [
      {
        kind: 'action',
        label: t('email.sign_up'),
        url,
        note: t('email.works_7_days'),
      },
      { kind: 'text', text: t('email.sign_up_ignored') },
    ],
  }
}

/** The email for a sign-up with the email of an existing account. */
export function accountExists({ t }: Locale, url: string): EmailContent {
  return {
    subject: t('email.exists_subject'),
    heading: t('email.exists_heading'),
    blocks: [
      { kind: 'text', text: t('email.exists_text') },
      {
        kind: 'action',
        label: t('email.sign_in'),
        url,
        note: t('email.works_20_minutes'),
      },
    ],
  }
}

const CHANGES = [
  'password_changed',
  'authenticator_added',
  'authenticator_removed',
  'passkey_added',
  'passkey_removed',
  'recovery_codes_made',
  'agent_allowed',
  'recovery_code_used',
] as const satisfies readonly Security['what'][]

/** Whether a security change of this name has an email. */
export function isSecurityChange(what: unknown): what is Security['what'] {
  return CHANGES.some((known) => known === what)
}

/** The email about a security change, with a link to secure the account. */
export function securityChanged(
  { t }: Locale,
  facts: Security,
  urls: { security: string; sign_in: string },
): EmailContent {
  const { what, name } = facts
  const named: Block[] = name ? [{ kind: 'rows', rows: [[t('email.name'), name]] }] : []
  return {
    subject: t(`email.${what}`),
    heading: t('email.was_this_you'),
    blocks: [
      { kind: 'text', text: t(`email.${what}_text`) },
      ...named,
      { kind: 'text', text: t('email.security_text') },
      { kind: 'action', label: t('email.review_account'), url: urls.security },
      {
        kind: 'link',
        label: t('email.forgot'),
        url: urls.sign_in,
        note: t('email.forgot_note'),
      },
    ],
  }
}

/** The email that confirms a new address before it is used. */
export function confirmNewEmail({ t }: Locale, old_email: string, url: string): EmailContent {
  return {
    subject: t('email.new_email_subject'),
    heading: t('email.new_email_heading'),
    blocks: [
      { kind: 'rows', rows: [[t('email.account'), old_email]] },
      {
        kind: 'action',
        label: t('email.new_email_action'),
        url,
        note: t('email.works_24_hours'),
      },
      { kind: 'text', text: t('email.not_requested') },
    ],
  }
}

/** The email to a new address that already has an account. */
export function newEmailTaken({ t }: Locale): EmailContent {
  return {
    subject: t('email.taken_subject'),
    heading: t('email.taken_heading'),
    blocks: [{ kind: 'text', text: t('email.taken_text') }],
  }
}

/** The email to the old address about a requested or completed change, with a link to undo it. */
export function emailChange(
  { t }: Locale,
  change: { old_email: string; new_email: string; done_at: Date | null },
  undo_url: string,
): EmailContent {
  const done = change.done_at !== null
  return {
    subject: done ? t('email.changed_subject') : t('email.changing_subject'),
    heading: t('email.was_this_you'),
    blocks: [
      { kind: 'text', text: done ? t('email.changed_text') : t('email.changing_text') },
      {
        kind: 'rows',
        rows: [
          [done ? t('email.previous_email') : t('email.current_email'), change.old_email],
          [t('email.new_email'), change.new_email],
        ],
      },
      {
        kind: 'link',
        label: t('email.undo'),
        url: undo_url,
        note: t('email.undo_note'),
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
        kind: 'action',
        label: 'View the invitation',
        url,
        note: `This link works once and expires in ${facts.hours} hours.`,
      },
      { kind: 'text', text: 'If you did not expect this, you can ignore this email.' },
    ],
  }
}
