import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { PasskeyForm } from '#design/passkey'

/** The re-authentication page; it offers the methods that the account has. */
export function ConfirmPage(facts: {
  csrf_token: string
  email: string
  return_to: string
  has_password: boolean
  has_authenticator: boolean
  has_passkeys: boolean
  with_recovery_code: boolean
  fault: Fault | undefined
  /** The address of live mode, for an account that enters test mode from there only. */
  live_url: string | undefined
}): JSX.Element {
  const { csrf_token, fault } = facts
  const query = new URLSearchParams({ return_to: facts.return_to })
  const returnTo = <input type="hidden" name="return_to" value={facts.return_to} />
  const owesCode = facts.has_authenticator || facts.has_passkeys
  const isForm = facts.has_password || owesCode
  // An account with only passkeys has no authenticator app.
  const asksRecoveryCode = facts.with_recovery_code || !facts.has_authenticator
  const action = `/account/confirm${facts.with_recovery_code ? '?with=recovery_code' : ''}`
  const isOnField = ['password', 'code', 'recovery_code'].includes(fault?.kind ?? '')
  return (
    <FocusLayout
      title={`${fault ? 'Error: ' : ''}Confirm your identity · Purser`}
      script="passkey.js"
    >
      <Heading title="Confirm your identity">
        To continue, sign in once more as <Mailbox address={facts.email} />.
      </Heading>
      {fault && !isOnField && <Alert tone="error">{fault.text}</Alert>}
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
      {isForm && (
        <Form action={action} csrf_token={csrf_token}>
          {returnTo}
          <UsernameField value={facts.email} />
          {facts.has_password && (
            <Field
              label="Password"
              name="password"
              type="password"
              autocomplete="current-password"
              error={fault?.kind === 'password' ? fault.text : undefined}
            />
          )}
          {owesCode && (asksRecoveryCode ? recoveryCode(fault) : code(fault))}
          <Button kind="primary" pending="One moment…" wide>
            Confirm
          </Button>
        </Form>
      )}
      {!isForm && facts.live_url && (
        <>
          <p>Open test mode again: choose Test mode in the menu of your dashboard in live mode.</p>
          <Button kind="primary" href={`${facts.live_url}/dashboard/`} wide>
            Open the dashboard
          </Button>
        </>
      )}
      {!isForm && !facts.live_url && (
        <Form action="/signin/" csrf_token={csrf_token}>
          {returnTo}
          <input type="hidden" name="email" value={facts.email} />
          <Button kind="primary" icon="mail" name="by" value="sign_in" pending="Sending…" wide>
            Email me a sign-in link
          </Button>
        </Form>
      )}
      {facts.has_authenticator && !facts.with_recovery_code && (
        <TextLink href={`/account/confirm?with=recovery_code&${query}`}>
          Use a recovery code
        </TextLink>
      )}
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}

interface Fault {
  /** The field with the error, if it belongs to one. */
  kind: string | undefined
  text: string
}

function code(fault: Fault | undefined): JSX.Element {
  return (
    <Field
      label="Authentication code"
      name="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      maxlength={12}
      error={fault?.kind === 'code' ? fault.text : undefined}
    />
  )
}

function recoveryCode(fault: Fault | undefined): JSX.Element {
  return (
    <Field
      label="Recovery code"
      name="recovery_code"
      autocomplete="off"
      maxlength={40}
      error={fault?.kind === 'recovery_code' ? fault.text : undefined}
    />
  )
}
