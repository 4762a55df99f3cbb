import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form, NewPasswordField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { PasskeyForm } from '#design/passkey'
import type { RequestingApp } from '#http/app-request'
import type { Locale } from '#platform/language/locale'

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
function CancelLink(facts: {
  requesting_app: RequestingApp | undefined
  locale: Locale
}): JSX.Element | null {
  const { requesting_app, locale } = facts
  if (!requesting_app) return null
  const { name: app, cancel_url } = requesting_app
  return <BackLink href={cancel_url}>{locale.t('signin.cancel', { app })}</BackLink>
}

/** Sign-in with a password, a passkey or an emailed link. */
export function SignInPage(facts: {
  locale: Locale
  csrf_token: string
  email: string
  return_to: string | undefined
  /** The app that requested the sign-in, if one did. */
  requesting_app: RequestingApp | undefined
  /** The error, and the field that has it, if it belongs to one. */
  fault: { field: 'email' | 'password' | undefined; text: string } | undefined
  sent: string | undefined
  /** A form was sent without a session: nothing was saved. */
  is_unsaved: boolean
  sign_up_url: string
  /** In test mode: the address of live mode, where sellers sign in. */
  live_url: string | undefined
}): JSX.Element {
  const { csrf_token, return_to, requesting_app, fault, locale } = facts
  const { t, rich } = locale
  const errorOf = (field: 'email' | 'password') => (fault?.field === field ? fault.text : undefined)
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('signin.sign_in') })}
      has_error={fault !== undefined}
      script="passkey.js"
      {...brandOf(requesting_app)}
    >
      <Heading title={t('signin.sign_in')}>
        {requesting_app ? t('signin.to_app', { app: requesting_app.name }) : t('signin.to_purser')}
      </Heading>
      {facts.is_unsaved && <Alert tone="warning">{t('error.signed_out')}</Alert>}
      {fault && !fault.field && <Alert tone="error">{fault.text}</Alert>}
      {facts.live_url && (
        <Alert tone="info" title={t('signin.seller_title')}>
          {rich('signin.seller_text', {
            link: (text) => <TextLink href={`${facts.live_url}/dashboard/`}>{text}</TextLink>,
          })}
        </Alert>
      )}
      {facts.sent && (
        <Alert tone="success" title={t('signin.check_inbox')}>
          {facts.sent}
        </Alert>
      )}
      <Form action="/signin/" csrf_token={csrf_token}>
        <ReturnField return_to={return_to} />
        <Field
          label={t('signin.email')}
          name="email"
          type="email"
          autocomplete="username"
          value={facts.email}
          error={errorOf('email')}
        />
        <Field
          label={t('signin.password')}
          name="password"
          type="password"
          autocomplete="current-password"
          optional="in hint"
          hint={t('signin.no_password')}
          error={errorOf('password')}
        />
        <Button kind="primary" name="by" value="password" pending={t('signin.signing_in')} wide>
          {t('signin.sign_in')}
        </Button>
        <Button icon="mail" name="by" value="sign_in" pending={t('signin.sending')} wide>
          {t('signin.email_link')}
        </Button>
        <Button kind="ghost" name="by" value="set_password" pending={t('signin.sending')} wide>
          {t('signin.forgot')}
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
          {t('signin.use_passkey')}
        </Button>
      </PasskeyForm>
      <p class="text-sm">
        {rich('signin.new_here', {
          link: (text) => <TextLink href={facts.sign_up_url}>{text}</TextLink>,
        })}
      </p>
      <CancelLink requesting_app={requesting_app} locale={locale} />
    </FocusLayout>
  )
}

/** Error messages by field name. */
export type SignUpFaults = { email?: string; password?: string; form?: string }

/** Sign-up with an email and password. */
export function SignUpPage(facts: {
  locale: Locale
  csrf_token: string
  email: string
  return_to: string | undefined
  /** The app that requested the sign-up, if one did. */
  requesting_app: RequestingApp | undefined
  faults: SignUpFaults
  sign_in_url: string
}): JSX.Element {
  const { requesting_app, faults, locale } = facts
  const { t, rich } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('signin.create_account_title') })}
      has_error={Object.values(faults)[0] !== undefined}
      {...brandOf(requesting_app)}
    >
      <Heading title={t('signin.create_account_title')}>
        {requesting_app
          ? t('signin.create_to_app', { app: requesting_app.name })
          : t('signin.create_for_all')}
      </Heading>
      {faults.form && <Alert tone="error">{faults.form}</Alert>}
      <Form action="/signup/" csrf_token={facts.csrf_token}>
        <ReturnField return_to={facts.return_to} />
        <Field
          label={t('signin.email')}
          name="email"
          type="email"
          autocomplete="username"
          value={facts.email}
          error={faults.email}
        />
        <NewPasswordField label={t('signin.password')} error={faults.password} />
        <Button kind="primary" pending={t('signin.one_moment')} wide>
          {t('signin.create_account')}
        </Button>
      </Form>
      <p class="text-sm">
        {rich('signin.have_account', {
          link: (text) => <TextLink href={facts.sign_in_url}>{text}</TextLink>,
        })}
      </p>
      <CancelLink requesting_app={requesting_app} locale={locale} />
    </FocusLayout>
  )
}

/** Shown after a sign-up; the same whether or not the email has an account. */
export function CheckInboxPage(facts: {
  locale: Locale
  email: string
  sign_up_url: string
}): JSX.Element {
  const { locale } = facts
  const { t, rich } = locale
  return (
    <FocusLayout locale={locale} title={t('signin.page_title', { title: t('signin.check_inbox') })}>
      <Heading title={t('signin.check_inbox')}>
        {rich('signin.sent_to', { email: <Mailbox address={facts.email} /> })}
      </Heading>
      <p class="text-sm text-muted">{t('signin.no_email')}</p>
      <BackLink href={facts.sign_up_url}>{t('signin.other_email')}</BackLink>
    </FocusLayout>
  )
}
