import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'

/** Signing in with a password, or by a link to one's mailbox. */
export function SignInPage(facts: {
  csrf_token: string
  email: string
  return_to: string | undefined
  fault: string | undefined
  sent: string | undefined
}): JSX.Element {
  const returnTo = facts.return_to && (
    <input type="hidden" name="return_to" value={facts.return_to} />
  )
  return (
    <FocusLayout title={facts.fault === undefined ? 'Sign in · Purser' : 'Error: Sign in · Purser'}>
      <Heading title="Sign in">To your purchases, or to the apps you sell.</Heading>
      {facts.fault && <Alert tone="error">{facts.fault}</Alert>}
      {facts.sent && (
        <Alert tone="success" title="Look into your mailbox">
          {facts.sent}
        </Alert>
      )}
      <Form action="/signin/" csrf_token={facts.csrf_token}>
        {returnTo}
        <Field
          label="Email"
          name="email"
          type="email"
          autocomplete="username"
          value={facts.email}
        />
        <Field
          label="Password"
          name="password"
          type="password"
          autocomplete="current-password"
          optional
          hint="Without a password, let us email you a link."
        />
        <Button kind="primary" name="by" value="password" pending="Signing in…" wide>
          Sign in
        </Button>
        <Button icon="mail" name="by" value="sign_in" pending="Sending…" wide>
          Email me a sign-in link
        </Button>
        <Button kind="ghost" name="by" value="set_password" pending="Sending…" wide>
          I forgot my password
        </Button>
      </Form>
    </FocusLayout>
  )
}

/** After signing in, for the blink until the browser goes on by itself. */
export function SignedInPage({ return_to }: { return_to: string }): JSX.Element {
  return (
    <FocusLayout title="You are signed in · Purser">
      <Heading title="You are signed in" done>
        This page goes on by itself.
      </Heading>
      <Button kind="primary" href={return_to} icon_after="arrow-right" wide>
        Go on
      </Button>
    </FocusLayout>
  )
}

const LINK_WORDS = {
  verify_email: {
    title: 'Confirm your email',
    words: 'Confirm that this mailbox is yours. You are signed in afterwards.',
    action: 'Confirm my email',
  },
  sign_in: {
    title: 'Sign in with this link',
    words: 'Press the button to sign in on this browser.',
    action: 'Sign in',
  },
  set_password: {
    title: 'Set a password',
    words: 'It takes the place of any password before. You are signed in afterwards.',
    action: 'Save password',
  },
  not_me: {
    title: 'This was not me',
    words:
      'We lock the account at once, so that nobody can use it, and look at the purchase that was made with your address.',
    action: 'Lock the account',
  },
}

/** What a link from a mailbox opens: nothing happens before its button is pressed. */
export function LinkPage(facts: {
  purpose: keyof typeof LINK_WORDS
  action: string
  csrf_token: string
  email: string
  fault: string | undefined
}): JSX.Element {
  const { title, words, action } = LINK_WORDS[facts.purpose]
  return (
    <FocusLayout title={`${facts.fault === undefined ? '' : 'Error: '}${title} · Purser`}>
      <Heading title={title}>{words}</Heading>
      <p class="text-sm">
        Account: <strong class="font-semibold">{facts.email}</strong>
      </p>
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.purpose === 'set_password' && (
          <>
            <UsernameField value={facts.email} />
            <Field
              label="New password"
              name="password"
              type="password"
              autocomplete="new-password"
              hint="At least 10 characters."
              error={facts.fault}
            />
          </>
        )}
        <Button kind={facts.purpose === 'not_me' ? 'danger' : 'primary'} pending="One moment…" wide>
          {action}
        </Button>
      </Form>
    </FocusLayout>
  )
}

/** A link that was used, or is too old. */
export function SpentLinkPage(): JSX.Element {
  return (
    <FocusLayout title="This link is spent · Purser">
      <Heading title="This link is spent">
        It works once and for a limited time. Ask for a new one, and use the latest letter.
      </Heading>
      <Button kind="primary" href="/signin/" wide>
        Go to sign in
      </Button>
    </FocusLayout>
  )
}

/** After an account was disowned. */
export function LockedPage(): JSX.Element {
  return (
    <FocusLayout title="The account is locked · Purser">
      <Heading title="The account is locked" done>
        Nobody can use it any more, and we look at the purchase. You need not do anything else.
      </Heading>
      <p class="text-sm text-muted">
        Questions? <TextLink href="/help/">Here is how to reach us.</TextLink>
      </p>
    </FocusLayout>
  )
}
