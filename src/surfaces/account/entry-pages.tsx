import type { JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { Field, Form, NewPasswordField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'

const titled = (title: string, fault: string | undefined) =>
  `${fault === undefined ? '' : 'Error: '}${title} · Purser`

/** Sets or changes the password. */
export function PasswordPage(facts: {
  csrf_token: string
  email: string
  is_first: boolean
  fault: string | undefined
}): JSX.Element {
  const title = facts.is_first ? 'Set your password' : 'Change your password'
  return (
    <FocusLayout title={titled(title, facts.fault)}>
      <Heading title={title}>This signs out every other browser.</Heading>
      <Form action="/account/security/password" csrf_token={facts.csrf_token}>
        <UsernameField value={facts.email} />
        <NewPasswordField label="New password" error={facts.fault} />
        <Button kind="primary" pending="Saving…" wide>
          Save password
        </Button>
      </Form>
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}

/** Changes the email of the account. */
export function EmailPage(facts: {
  csrf_token: string
  email: string
  value: string
  fault: string | undefined
}): JSX.Element {
  return (
    <FocusLayout title={titled('Change your email', facts.fault)}>
      <Heading title="Change your email">
        Your current email is <Mailbox address={facts.email} />. We email both addresses. You
        confirm the change from the new one, and you can undo it from the old one for seven days.
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
          Send confirmation email
        </Button>
      </Form>
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}
