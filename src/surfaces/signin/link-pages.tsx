import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Form, NewPasswordField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { DescriptionList, Heading } from '#design/panels'

const TEXTS = {
  verify_email: {
    title: 'Confirm your email',
    text: 'Confirm that this email is yours. This also signs you in.',
    action: 'Confirm my email',
  },
  sign_up: {
    title: 'Finish your account',
    text: 'Confirm that this email is yours to finish your account.',
    action: 'Confirm my email',
  },
  sign_in: {
    title: 'Sign in with this link',
    text: 'Press the button to sign in on this browser.',
    action: 'Sign in',
  },
  set_password: {
    title: 'Set a password',
    text: 'This replaces any previous password and signs you in.',
    action: 'Save password',
  },
  not_me: {
    title: 'This was not me',
    text: 'We lock the account immediately and review the purchase made with your email.',
    action: 'Lock the account',
  },
  change_email: {
    title: 'Confirm your new email',
    text: 'You sign in with the new email, and we send emails there.',
    action: 'Change my email',
  },
  undo_email: {
    title: 'Keep your email',
    text: 'This undoes the change, signs out every browser and lets you set a new password. Use it if you did not request the change.',
    action: 'Keep this email',
  },
}

/** The page of a link from an email; nothing happens before its button is pressed. */
export function LinkPage(facts: {
  purpose: keyof typeof TEXTS
  action: string
  csrf_token: string
  email: string
  /** The new email of an email change. */
  new_email: string | undefined
  /** The label of the password field if the page has one, and its error. */
  password: 'Password' | 'New password' | undefined
  fault: string | undefined
}): JSX.Element {
  const { title, text, action } = TEXTS[facts.purpose]
  const accounts = [{ term: 'Account', detail: facts.email }]
  if (facts.new_email) accounts.push({ term: 'New address', detail: facts.new_email })
  return (
    <FocusLayout title={`${facts.fault === undefined ? '' : 'Error: '}${title} · Purser`}>
      <Heading title={title}>{text}</Heading>
      <DescriptionList items={accounts} />
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.password && (
          <>
            <UsernameField value={facts.email} />
            <NewPasswordField label={facts.password} error={facts.fault} />
          </>
        )}
        <Button kind={facts.purpose === 'not_me' ? 'danger' : 'primary'} pending="One moment…" wide>
          {action}
        </Button>
      </Form>
    </FocusLayout>
  )
}

/** A link that has expired or was already used. */
export function ExpiredLinkPage(): JSX.Element {
  return (
    <FocusLayout title="This link has expired or was already used · Purser">
      <Heading title="This link has expired or was already used">
        Request a new link, and use the latest email.
      </Heading>
      <Button kind="primary" href="/signin/" wide>
        Go to sign in
      </Button>
    </FocusLayout>
  )
}

/** Shown after an account was disowned. */
export function LockedPage(): JSX.Element {
  return (
    <FocusLayout title="Account locked · Purser">
      <Heading title="Account locked" done>
        No one can sign in to it. We are reviewing the purchase. No further action is needed.
      </Heading>
      <Questions />
    </FocusLayout>
  )
}

/** Shown after a new email was confirmed. */
export function EmailChangedPage({ email }: { email: string }): JSX.Element {
  return (
    <FocusLayout title="Email changed · Purser">
      <Heading title="Email changed" done>
        You now sign in with {email}.
      </Heading>
      <Button kind="primary" href="/account/security/" wide>
        Go to your account
      </Button>
    </FocusLayout>
  )
}

/** The new email already has an account, or an undone change needs staff. */
export function EmailTakenPage({ is_locked }: { is_locked: boolean }): JSX.Element {
  return (
    <FocusLayout title="This email is already in use · Purser">
      <Heading title="This email is already in use">
        {is_locked
          ? 'Another account now uses this email, so the change could not be undone. Your account is locked until we review it.'
          : 'Another account uses this email, so nothing was changed.'}
      </Heading>
      <Questions />
    </FocusLayout>
  )
}

function Questions(): JSX.Element {
  return (
    <p class="text-sm text-muted">
      Questions? <TextLink href="/help/">Contact support</TextLink>
    </p>
  )
}
