import type { JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { PasskeyForm } from '#design/passkey'

/** Proving once more to be the owner, by whatever the account has for it. */
export function ConfirmPage(facts: {
  csrf_token: string
  email: string
  return_to: string
  has_password: boolean
  has_authenticator: boolean
  has_passkeys: boolean
  fault: { kind: string; words: string } | undefined
}): JSX.Element {
  const { csrf_token, fault } = facts
  const returnTo = <input type="hidden" name="return_to" value={facts.return_to} />
  const isOnField = fault?.kind === 'password' || fault?.kind === 'code'
  const hasNothing = !facts.has_password && !facts.has_authenticator && !facts.has_passkeys
  return (
    <FocusLayout
      title={`${fault ? 'Error: ' : ''}Confirm that it is you · Purser`}
      script="passkey.js"
    >
      <Heading title="Confirm that it is you">
        Before you change how <Mailbox address={facts.email} /> is protected, prove once more that
        it is yours.
      </Heading>
      {fault && !isOnField && <Alert tone="error">{fault.words}</Alert>}
      {facts.has_password && (
        <Form action="/account/confirm" csrf_token={csrf_token}>
          {returnTo}
          <UsernameField value={facts.email} />
          <Field
            label="Password"
            name="password"
            type="password"
            autocomplete="current-password"
            error={fault?.kind === 'password' ? fault.words : undefined}
          />
          <Button kind="primary" pending="One moment…" wide>
            Confirm
          </Button>
        </Form>
      )}
      {facts.has_authenticator && (
        <Form action="/account/confirm" csrf_token={csrf_token}>
          {returnTo}
          <Field
            label="Authentication code"
            name="code"
            inputmode="numeric"
            autocomplete="one-time-code"
            maxlength={12}
            error={fault?.kind === 'code' ? fault.words : undefined}
          />
          <Button kind={facts.has_password ? 'plain' : 'primary'} pending="One moment…" wide>
            Confirm with the code
          </Button>
        </Form>
      )}
      {facts.has_passkeys && (
        <PasskeyForm
          ceremony="get"
          action="/account/confirm"
          options_url="/account/confirm/options"
          csrf_token={csrf_token}
        >
          {returnTo}
          <Button icon="key" wide>
            Use a passkey
          </Button>
        </PasskeyForm>
      )}
      {hasNothing && (
        <Form action="/signin/" csrf_token={csrf_token}>
          {returnTo}
          <input type="hidden" name="email" value={facts.email} />
          <Button kind="primary" icon="mail" name="by" value="sign_in" pending="Sending…" wide>
            Email me a sign-in link
          </Button>
        </Form>
      )}
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}
