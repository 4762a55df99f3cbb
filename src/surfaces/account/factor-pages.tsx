import type { JSX } from 'preact'
import { BackLink, Button, CopyField } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { PasskeyForm, WithoutPasskeys } from '#design/passkey'

/** Setup of an authenticator app; the only page that shows its secret. */
export function AuthenticatorPage(facts: {
  csrf_token: string
  qr_image: string
  secret: string
  fault: string | undefined
}): JSX.Element {
  const isFaulty = facts.fault !== undefined
  return (
    <FocusLayout title={`${isFaulty ? 'Error: ' : ''}Set up an authenticator app · Purser`}>
      <Heading title="Set up an authenticator app">
        Scan this code with an app such as Aegis, 1Password or Google Authenticator. Then enter the
        code from the app.
      </Heading>
      <img
        class="w-52 justify-self-center rounded-field bg-white"
        src={facts.qr_image}
        alt="QR code with the setup key below"
        width="208"
        height="208"
      />
      <CopyField id="setup_key" label="Setup key" value={facts.secret} />
      <Form action="/account/security/authenticator" csrf_token={facts.csrf_token}>
        <Field
          label="Authentication code"
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength={12}
          error={facts.fault}
        />
        <Button kind="primary" pending="One moment…" wide>
          Turn it on
        </Button>
      </Form>
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}

/** Adds a passkey: the browser creates it, and the page names it. */
export function PasskeyPage(facts: {
  csrf_token: string
  name: string
  is_refused: boolean
}): JSX.Element {
  return (
    <FocusLayout
      title={`${facts.is_refused ? 'Error: ' : ''}Add a passkey · Purser`}
      script="passkey.js"
    >
      <Heading title="Add a passkey">
        Sign in with this device’s fingerprint, face or PIN, or with a security key. No password
        needed.
      </Heading>
      {facts.is_refused && <Alert tone="error">The passkey could not be saved. Try again.</Alert>}
      <PasskeyForm
        ceremony="create"
        action="/account/security/passkeys"
        options_url="/account/security/passkeys/options"
        csrf_token={facts.csrf_token}
      >
        <Field
          label="Name"
          name="name"
          value={facts.name}
          maxlength={60}
          autocomplete="off"
          hint="Shown in your list of passkeys."
        />
        <Button kind="primary" icon="key" wide>
          Create a passkey
        </Button>
      </PasskeyForm>
      <WithoutPasskeys>
        This browser cannot create a passkey. It needs JavaScript and passkey support.
      </WithoutPasskeys>
      <BackLink href="/account/security/">Security</BackLink>
    </FocusLayout>
  )
}

/** The recovery codes, shown once. */
export function RecoveryCodesPage(facts: {
  codes: string[]
  text: string
  next_url: string
}): JSX.Element {
  return (
    <FocusLayout title="Your recovery codes · Purser">
      <Heading title="Your recovery codes" done>
        {facts.text} If you lose your device, each of these codes signs you in once.
      </Heading>
      <Alert tone="warning" title="These codes are shown once">
        Print them, or save them in your password manager.
      </Alert>
      <CopyField id="recovery_codes" label="Recovery codes" value={facts.codes.join('\n')} />
      <Button kind="primary" href={facts.next_url} wide>
        I have saved them
      </Button>
    </FocusLayout>
  )
}
