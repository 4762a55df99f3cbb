import type { EmailContent } from './template.ts'

const UNASKED = 'If you did not ask for this, you need not do anything.'

/** The email with a sign-in link. */
export function signInLink(url: string): EmailContent {
  return {
    subject: 'Your sign-in link for Purser',
    heading: 'Sign in to Purser',
    blocks: [
      { kind: 'link', label: 'Sign in', url, note: 'It works once, for 20 minutes.' },
      { kind: 'text', text: UNASKED },
    ],
  }
}

/** The email with a link to a new password. */
export function setPassword(url: string): EmailContent {
  return {
    subject: 'Set a new password for Purser',
    heading: 'Set a new password',
    blocks: [
      { kind: 'link', label: 'Set a password', url, note: 'It works once, for 7 days.' },
      { kind: 'text', text: UNASKED },
    ],
  }
}

/** The email that turns what somebody typed on the sign-up page into an account. */
export function signUpLink(url: string): EmailContent {
  return {
    subject: 'Confirm your email for Purser',
    heading: 'Your account is nearly ready',
    blocks: [
      { kind: 'link', label: 'Confirm my email', url, note: 'It works once, for 7 days.' },
      { kind: 'text', text: `${UNASKED} Without your answer there is no account.` },
    ],
  }
}

/** The email to somebody who signed up with an address that has an account. */
export function accountExists(url: string): EmailContent {
  return {
    subject: 'You already have an account at Purser',
    heading: 'You already have an account',
    blocks: [
      {
        kind: 'text',
        text: 'Somebody, perhaps you, asked for a new account with this address. It has one already, and nothing was changed.',
      },
      { kind: 'link', label: 'Sign in', url, note: 'It works once, for 20 minutes.' },
    ],
  }
}

const CHANGES: Record<string, [subject: string, sentence: string]> = {
  password_changed: ['Your password was changed', 'The password of your account was changed.'],
  authenticator_added: [
    'An authenticator app was added',
    'Signing in to your account asks for the code of an authenticator app from now on.',
  ],
  authenticator_removed: [
    'Your authenticator app was removed',
    'Signing in to your account asks for no code of an app any more.',
  ],
  passkey_added: ['A passkey was added', 'A new passkey opens your account from now on.'],
  passkey_removed: ['A passkey was removed', 'A passkey opens your account no more.'],
  recovery_codes_made: [
    'New recovery codes were made',
    'Your account has ten new recovery codes. Those before do not work any more.',
  ],
  agent_allowed: [
    'An agent was given access to your apps',
    'An agent on a computer may manage your apps from now on, as far as you allowed it. Under Connections you can end that at any time.',
  ],
  recovery_code_used: [
    'A recovery code was used',
    'Somebody got past the second step of your sign-in with one of your recovery codes.',
  ],
}

/** The email about a change of what keeps others out: was this you? */
export function securityChanged(
  facts: { what: string; name?: string },
  urls: { security: string; sign_in: string },
): EmailContent {
  const [subject, sentence] = CHANGES[facts.what]!
  return {
    subject,
    heading: 'Was this you?',
    blocks: [
      { kind: 'text', text: sentence },
      ...(facts.name ? [{ kind: 'rows' as const, rows: [['Name', facts.name]] as TermRow[] }] : []),
      {
        kind: 'text',
        text: 'If it was you, all is well. If not, choose a new password: that signs every browser out.',
      },
      { kind: 'link', label: 'Look at your account', url: urls.security },
      {
        kind: 'link',
        label: 'I forgot my password',
        url: urls.sign_in,
        note: 'There you can ask for a letter with which you choose a new one.',
      },
    ],
  }
}

type TermRow = [term: string, value: string]

/** The email to a new address, which must answer before anything changes. */
export function confirmNewEmail(old_email: string, url: string): EmailContent {
  return {
    subject: 'Confirm your new email for Purser',
    heading: 'Is this your new address?',
    blocks: [
      { kind: 'rows', rows: [['Account', old_email]] },
      { kind: 'link', label: 'Confirm my new email', url, note: 'It works once, for a day.' },
      { kind: 'text', text: UNASKED },
    ],
  }
}

/** The email to a new address that has an account of its own. */
export function newEmailTaken(): EmailContent {
  return {
    subject: 'This address is in use at Purser',
    heading: 'This address has an account already',
    blocks: [
      {
        kind: 'text',
        text: 'Somebody, perhaps you, wanted to give another account this address. It has an account of its own, so nothing was changed.',
      },
    ],
  }
}

/** The email to the old address: a change is wanted, or was made, and can be taken back. */
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
          ? 'Your account has another address now.'
          : 'Somebody asked to give your account another address. It changes as soon as the new mailbox answers.',
      },
      {
        kind: 'rows',
        rows: [
          [done ? 'Before' : 'Now', change.old_email],
          [done ? 'Now' : 'New', change.new_email],
        ],
      },
      {
        kind: 'link',
        label: 'This was not me: keep my address',
        url: undo_url,
        note: 'It works for 7 days, signs every browser out, and lets you choose a new password.',
      },
    ],
  }
}
