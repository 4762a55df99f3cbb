import type { JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { Field, Form, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'

const titled = (title: string, fault: string | undefined) =>
  `${fault === undefined ? '' : 'Error: '}${title} · Purser`

/** A new password, or the first one. */
export function PasswordPage(facts: {
  csrf_token: string
  email: string
  is_first: boolean
  fault: string | undefined
}): JSX.Element {
  const title = facts.is_first ? 'Set your password' : 'Change your password'
  return (
    <FocusLayout title={titled(title, facts.fault)}>
      <Heading title={title}>Every other browser that is signed in will be signed out.</Heading>
      <Form action="/account/security/password" csrf_token={facts.csrf_token}>
        <UsernameField value={facts.email} />
        <Field
          label="New password"
          name="password"
          type="password"
          autocomplete="new-password"
          hint="At least 10 characters; a few words are fine."
          error={facts.fault}
        />
        <Button kind="primary" pending="Saving…" wide>
          Save password
        </Button>
      </Form>
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}

/** Another address for the account. */
export function EmailPage(facts: {
  csrf_token: string
  email: string
  value: string
  fault: string | undefined
}): JSX.Element {
  return (
    <FocusLayout title={titled('Change your email', facts.fault)}>
      <Heading title="Change your email">
        It is <Mailbox address={facts.email} /> now. We write to both: the new mailbox must answer
        first, and the old one can take the change back for seven days.
      </Heading>
      <Form action="/account/security/email" csrf_token={facts.csrf_token}>
        <Field
          label="New email"
          name="email"
          type="email"
          autocomplete="email"
          value={facts.value}
          error={facts.fault}
        />
        <Button kind="primary" pending="Sending…" wide>
          Send the letter
        </Button>
      </Form>
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}
