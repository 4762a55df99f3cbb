import type { JSX } from 'preact'
import { BackLink, Button, TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { Field, Form } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import { PasskeyForm, WithoutPasskeys } from '#design/passkey'
import type { Locale } from '#platform/language/locale'

/** The second factor: a code, a passkey or a recovery code. */
export function SecondFactorPage(facts: {
  locale: Locale
  csrf_token: string
  email: string
  has_authenticator: boolean
  has_passkeys: boolean
  /** True if the person chose to use a recovery code. */
  with_recovery_code: boolean
  /** The error, and the field that has it, if it belongs to one. */
  fault: { kind: string | undefined; text: string } | undefined
}): JSX.Element {
  const { csrf_token, fault, locale } = facts
  const { t, rich } = locale
  const isOnField = fault?.kind === 'code' || fault?.kind === 'recovery_code'
  const error = isOnField ? fault.text : undefined
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('signin.one_more_step') })}
      has_error={fault !== undefined}
      script="passkey.js"
    >
      <Heading title={t('signin.one_more_step')}>
        {rich('signin.confirm_identity', { email: <Mailbox address={facts.email} /> })}
      </Heading>
      {fault && !isOnField && <Alert tone="error">{fault.text}</Alert>}
      {facts.with_recovery_code ? (
        <RecoveryCodeForm csrf_token={csrf_token} locale={locale} error={error} />
      ) : (
        <>
          {facts.has_authenticator && (
            <CodeForm csrf_token={csrf_token} locale={locale} error={error} />
          )}
          {facts.has_passkeys && (
            <>
              <PasskeyForm
                ceremony="get"
                action="/signin/second-factor"
                options_url="/signin/second-factor/options"
                csrf_token={csrf_token}
              >
                <Button kind={facts.has_authenticator ? 'plain' : 'primary'} icon="key" wide>
                  {t('signin.use_passkey')}
                </Button>
              </PasskeyForm>
              <WithoutPasskeys>{t('signin.passkeys_need_script')}</WithoutPasskeys>
            </>
          )}
          <p class="text-sm">
            {rich('signin.lost_device', {
              link: (text) => (
                <TextLink href="/signin/second-factor?with=recovery_code">{text}</TextLink>
              ),
            })}
          </p>
        </>
      )}
      <BackLink href="/signin/">{t('signin.other_account')}</BackLink>
    </FocusLayout>
  )
}

interface CodeFormFacts {
  csrf_token: string
  locale: Locale
  error: string | undefined
}

function CodeForm({ csrf_token, locale, error }: CodeFormFacts): JSX.Element {
  const { t } = locale
  return (
    <Form action="/signin/second-factor" csrf_token={csrf_token}>
      <Field
        label={t('signin.code')}
        name="code"
        inputmode="numeric"
        autocomplete="one-time-code"
        maxlength={12}
        hint={t('signin.code_hint')}
        error={error}
        autofocus
      />
      <Button kind="primary" pending={t('signin.signing_in')} wide>
        {t('signin.sign_in')}
      </Button>
    </Form>
  )
}

function RecoveryCodeForm({ csrf_token, locale, error }: CodeFormFacts): JSX.Element {
  const { t } = locale
  return (
    <>
      <Form action="/signin/second-factor?with=recovery_code" csrf_token={csrf_token}>
        <Field
          label={t('signin.recovery_code')}
          name="recovery_code"
          autocomplete="off"
          spellcheck={false}
          maxlength={40}
          hint={t('signin.recovery_code_hint')}
          error={error}
          autofocus
        />
        <Button kind="primary" pending={t('signin.signing_in')} wide>
          {t('signin.sign_in')}
        </Button>
      </Form>
      <p class="text-sm">
        <TextLink href="/signin/second-factor">{t('signin.other_way')}</TextLink>
      </p>
    </>
  )
}
