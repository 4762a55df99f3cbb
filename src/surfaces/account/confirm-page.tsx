import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { PasskeyForm } from '#design/passkey'
import type { Locale } from '#platform/language/locale'

/** The re-authentication page; it offers the methods that the account has. */
export function ConfirmPage(facts: {
  locale: Locale
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
  const { csrf_token, fault, locale } = facts
  const { t, rich } = locale
  const title = t('account.confirm_title')
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
      locale={locale}
      title={t('account.page_title', { title })}
      has_error={fault !== undefined}
      script="passkey.js"
    >
      <Heading title={title}>
        {rich('account.confirm_text', { email: <Mailbox address={facts.email} /> })}
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
            {t('account.confirm_passkey')}
          </Button>
        </PasskeyForm>
      )}
      {isForm && (
        <Form action={action} csrf_token={csrf_token}>
          {returnTo}
          <UsernameField value={facts.email} />
          {facts.has_password && (
            <Field
              label={t('account.password')}
              name="password"
              type="password"
              autocomplete="current-password"
              error={fault?.kind === 'password' ? fault.text : undefined}
            />
          )}
          {owesCode && <CodeField is_recovery={asksRecoveryCode} fault={fault} locale={locale} />}
          <Button kind="primary" pending={t('account.one_moment')} wide>
            {t('account.confirm')}
          </Button>
        </Form>
      )}
      {!isForm && facts.live_url && (
        <>
          <p>{t('account.confirm_test_mode')}</p>
          <Button kind="primary" href={`${facts.live_url}/dashboard/`} wide>
            {t('account.confirm_dashboard')}
          </Button>
        </>
      )}
      {!isForm && !facts.live_url && (
        <Form action="/signin/" csrf_token={csrf_token}>
          {returnTo}
          <input type="hidden" name="email" value={facts.email} />
          <Button
            kind="primary"
            icon="mail"
            name="by"
            value="sign_in"
            pending={t('account.sending')}
            wide
          >
            {t('account.confirm_email_link')}
          </Button>
        </Form>
      )}
      {facts.has_authenticator && !facts.with_recovery_code && (
        <TextLink href={`/account/confirm?with=recovery_code&${query}`}>
          {t('account.confirm_recovery_code')}
        </TextLink>
      )}
      <BackLink href="/account/security/">{t('menu.security')}</BackLink>
    </FocusLayout>
  )
}

interface Fault {
  /** The field with the error, if it belongs to one. */
  kind: string | undefined
  text: string
}

function CodeField(facts: {
  is_recovery: boolean
  fault: Fault | undefined
  locale: Locale
}): JSX.Element {
  const { is_recovery, fault, locale } = facts
  const { t } = locale
  if (is_recovery) {
    return (
      <Field
        label={t('account.recovery_code')}
        name="recovery_code"
        autocomplete="off"
        maxlength={40}
        error={fault?.kind === 'recovery_code' ? fault.text : undefined}
      />
    )
  }
  return (
    <Field
      label={t('account.code')}
      name="code"
      inputmode="numeric"
      autocomplete="one-time-code"
      maxlength={12}
      error={fault?.kind === 'code' ? fault.text : undefined}
    />
  )
}
