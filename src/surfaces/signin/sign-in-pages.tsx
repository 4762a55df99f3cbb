import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form, NewPasswordField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { PasskeyForm, WithoutPasskeys } from '#design/passkey'
import type { RequestingApp } from '#http/app-request'

/** The title of a page; errors come first, for screen readers. */
const titled = (title: string, fault: string | undefined) =>
  `${fault === undefined ? '' : 'Error: '}${title} · Purser`

function ReturnField({ return_to }: { return_to: string | undefined }): JSX.Element | null {
  return return_to === undefined ? null : <input type="hidden" name="return_to" value={return_to} />
}

/** The app that requested the sign-in, for the layout. */
function brandOf(requesting_app: RequestingApp | undefined): {
  app_name?: string
  app_url?: string
} {
  if (!requesting_app) return {}
  const { name: app_name, url: app_url } = requesting_app
  return app_url === undefined ? { app_name } : { app_name, app_url }
}

/** Returns to the app without signing in. */
function CancelLink({
  requesting_app,
}: {
  requesting_app: RequestingApp | undefined
}): JSX.Element | null {
  if (!requesting_app) return null
  return (
    <BackLink
      href={requesting_app.cancel_url}
    >{`Cancel and return to ${requesting_app.name}`}</BackLink>
  )
}

/** Sign-in with a password, a passkey or an emailed link. */
export function SignInPage(facts: {
  csrf_token: string
  email: string
  return_to: string | undefined
  /** The app that requested the sign-in, if one did. */
  requesting_app: RequestingApp | undefined
  fault: string | undefined
  sent: string | undefined
  sign_up_url: string
  /** In test mode: the address of live mode, where sellers sign in. */
  live_url: string | undefined
}): JSX.Element {
  const { csrf_token, return_to, requesting_app } = facts
  return (
    <FocusLayout
      title={titled('Sign in', facts.fault)}
      script="passkey.js"
      {...brandOf(requesting_app)}
    >
      <Heading title="Sign in">
        {requesting_app
          ? `To continue to ${requesting_app.name}, with your Purser account.`
          : 'To see your purchases or manage your apps.'}
      </Heading>
      {facts.fault && <Alert tone="error">{facts.fault}</Alert>}
      {facts.live_url && (
        <Alert tone="info" title="Do you sell here?">
          Sign in to live mode, then choose Test mode in the menu of{' '}
          <TextLink href={`${facts.live_url}/dashboard/`}>your dashboard</TextLink>. Only buyers of
          test purchases sign in here.
        </Alert>
      )}
      {facts.sent && (
        <Alert tone="success" title="Check your inbox">
          {facts.sent}
        </Alert>
      )}
      <Form action="/signin/" csrf_token={csrf_token}>
        <ReturnField return_to={return_to} />
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
          hint="No password? Use a sign-in link."
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
      <PasskeyForm
        ceremony="get"
        action="/signin/passkey"
        options_url="/signin/passkey/options"
        csrf_token={csrf_token}
      >
        <hr class="border-base-300" />
        <ReturnField return_to={return_to} />
        <Button icon="key" wide>
          Use a passkey
        </Button>
      </PasskeyForm>
      <p class="text-sm">
        New here? <TextLink href={facts.sign_up_url}>Create an account</TextLink>
      </p>
      <CancelLink requesting_app={requesting_app} />
    </FocusLayout>
  )
}

/** Error messages by field name. */
export type SignUpFaults = { email?: string; password?: string; form?: string }

/** Sign-up with an email and password. */
export function SignUpPage(facts: {
  csrf_token: string
  email: string
  return_to: string | undefined
  /** The app that requested the sign-up, if one did. */
  requesting_app: RequestingApp | undefined
  faults: SignUpFaults
  sign_in_url: string
}): JSX.Element {
  const { requesting_app, faults } = facts
  return (
    <FocusLayout
      title={titled('Create an account', Object.values(faults)[0])}
      {...brandOf(requesting_app)}
    >
      <Heading title="Create an account">
        {requesting_app
          ? `To continue to ${requesting_app.name}, with a Purser account.`
          : 'One account for all your purchases on Purser.'}
      </Heading>
      {faults.form && <Alert tone="error">{faults.form}</Alert>}
      <Form action="/signup/" csrf_token={facts.csrf_token}>
        <ReturnField return_to={facts.return_to} />
        <Field
          label="Email"
          name="email"
          type="email"
          autocomplete="username"
          value={facts.email}
          error={faults.email}
        />
        <NewPasswordField label="Password" error={faults.password} />
        <Button kind="primary" pending="One moment…" wide>
          Create account
        </Button>
      </Form>
      <p class="text-sm">
        Already have an account? <TextLink href={facts.sign_in_url}>Sign in</TextLink>
      </p>
      <CancelLink requesting_app={requesting_app} />
    </FocusLayout>
  )
}

/** Shown after a sign-up; the same whether or not the email has an account. */
export function CheckInboxPage(facts: { email: string; sign_up_url: string }): JSX.Element {
  return (
    <FocusLayout title="Check your inbox · Purser">
      <Heading title="Check your inbox">
        We sent an email to <Mailbox address={facts.email} />. Open its link to continue. The link
        expires in seven days.
      </Heading>
      <p class="text-sm text-muted">
        No email after a few minutes? Check your spam folder and the address above.
      </p>
      <BackLink href={facts.sign_up_url}>Use another email</BackLink>
    </FocusLayout>
  )
}

/** The second factor: a code, a passkey or a recovery code. */
export function SecondFactorPage(facts: {
  csrf_token: string
  email: string
  has_authenticator: boolean
  has_passkeys: boolean
  /** True if the person chose to use a recovery code. */
  with_recovery_code: boolean
  fault: string | undefined
}): JSX.Element {
  const { csrf_token, fault } = facts
  return (
    <FocusLayout title={titled('One more step', fault)} script="passkey.js">
      <Heading title="One more step">
        To sign in as <Mailbox address={facts.email} />, confirm your identity.
      </Heading>
      {fault && <Alert tone="error">{fault}</Alert>}
      {facts.with_recovery_code ? (
        <RecoveryCodeForm csrf_token={csrf_token} />
      ) : (
        <>
          {facts.has_authenticator && <CodeForm csrf_token={csrf_token} />}
          {facts.has_passkeys && (
            <>
              <PasskeyForm
                ceremony="get"
                action="/signin/second-factor"
                options_url="/signin/second-factor/options"
                csrf_token={csrf_token}
              >
                <Button kind={facts.has_authenticator ? 'plain' : 'primary'} icon="key" wide>
                  Use a passkey
                </Button>
              </PasskeyForm>
              <WithoutPasskeys>Passkeys need JavaScript.</WithoutPasskeys>
            </>
          )}
          <p class="text-sm">
            Lost your device?{' '}
            <TextLink href="/signin/second-factor?with=recovery_code">Use a recovery code</TextLink>
          </p>
        </>
      )}
      <BackLink href="/signin/">Use another account</BackLink>
    </FocusLayout>
  )
}

function CodeForm({ csrf_token }: { csrf_token: string }): JSX.Element {
  return (
    <Form action="/signin/second-factor" csrf_token={csrf_token}>
      <Field
        label="Authentication code"
        name="code"
        inputmode="numeric"
        autocomplete="one-time-code"
        maxlength={12}
        hint="Enter the six-digit code from your authenticator app."
        autofocus
      />
      <Button kind="primary" pending="Signing in…" wide>
        Sign in
      </Button>
    </Form>
  )
}

function RecoveryCodeForm({ csrf_token }: { csrf_token: string }): JSX.Element {
  return (
    <>
      <Form action="/signin/second-factor?with=recovery_code" csrf_token={csrf_token}>
        <Field
          label="Recovery code"
          name="recovery_code"
          autocomplete="off"
          spellcheck={false}
          maxlength={40}
          hint="Enter one of your ten recovery codes. Each works once."
          autofocus
        />
        <Button kind="primary" pending="Signing in…" wide>
          Sign in
        </Button>
      </Form>
      <p class="text-sm">
        <TextLink href="/signin/second-factor">Use another way</TextLink>
      </p>
    </>
  )
}
