import type { JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { CopyField } from '#design/copy'
import { Alert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { PasskeyForm, WithoutPasskeys } from '#design/passkey'
import type { Locale } from '#platform/language/locale'

/** Setup of an authenticator app; the only page that shows its secret. */
export function AuthenticatorPage(facts: {
  locale: Locale
  csrf_token: string
  qr_image: string
  secret: string
  fault: string | undefined
}): JSX.Element {
  const { locale, fault } = facts
  const { t } = locale
  const title = t('account.authenticator_title')
  return (
    <FocusLayout
      locale={locale}
      title={t('account.page_title', { title })}
      has_error={fault !== undefined}
    >
      <Heading title={title}>{t('account.authenticator_text')}</Heading>
      <img
        class="w-52 justify-self-center rounded-field"
        src={facts.qr_image}
        alt={t('account.qr_code')}
        width="208"
        height="208"
      />
      <CopyField id="setup_key" label={t('account.setup_key')} value={facts.secret} />
      <Form action="/account/security/authenticator" csrf_token={facts.csrf_token}>
        <Field
          label={t('account.code')}
          name="code"
          inputmode="numeric"
          autocomplete="one-time-code"
          maxlength={12}
          error={fault}
        />
        <Button kind="primary" pending={t('account.one_moment')} wide>
          {t('account.turn_on')}
        </Button>
      </Form>
      <BackLink href="/account/security/">{t('menu.security')}</BackLink>
    </FocusLayout>
  )
}

/** Adds a passkey: the browser creates it, and the page names it. */
export function PasskeyPage(facts: {
  locale: Locale
  csrf_token: string
  name: string
  is_refused: boolean
}): JSX.Element {
  const { locale, is_refused } = facts
  const { t } = locale
  const title = t('account.passkey_title')
  return (
    <FocusLayout
      locale={locale}
      title={t('account.page_title', { title })}
      has_error={is_refused}
      script="passkey.js"
    >
      <Heading title={title}>{t('account.passkey_text')}</Heading>
      {is_refused && <Alert tone="error">{t('account.passkey_refused')}</Alert>}
      <PasskeyForm
        ceremony="create"
        action="/account/security/passkeys"
        options_url="/account/security/passkeys/options"
        csrf_token={facts.csrf_token}
      >
        <Field
          label={t('account.passkey_name')}
          name="name"
          value={facts.name}
          maxlength={60}
          autocomplete="off"
          hint={t('account.passkey_name_hint')}
        />
        <Button kind="primary" icon="key" wide>
          {t('account.passkey_create')}
        </Button>
      </PasskeyForm>
      <WithoutPasskeys>{t('account.passkey_unsupported')}</WithoutPasskeys>
      <BackLink href="/account/security/">{t('menu.security')}</BackLink>
    </FocusLayout>
  )
}

/** Why there are new recovery codes. */
export type RecoveryCodesReason = 'of_authenticator' | 'of_passkey' | 'replaced'

/** The recovery codes, shown once. */
export function RecoveryCodesPage(facts: {
  locale: Locale
  codes: string[]
  reason: RecoveryCodesReason
  next_url: string
}): JSX.Element {
  const { locale, reason } = facts
  const { t } = locale
  const title = t('account.codes_title')
  return (
    <FocusLayout locale={locale} title={t('account.page_title', { title })}>
      <Heading title={title} done>
        {t(`account.codes_${reason}`)}
      </Heading>
      <Alert tone="warning" title={t('account.codes_shown_once')}>
        {t('account.codes_save')}
      </Alert>
      <CopyField id="recovery_codes" label={t('account.codes')} value={facts.codes.join('\n')} />
      <Button kind="primary" href={facts.next_url} wide>
        {t('account.codes_saved')}
      </Button>
    </FocusLayout>
  )
}
