import type { JSX } from 'preact'
import { BackLink, Button } from '#design/actions'
import { Field, Form, NewPasswordField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import type { Locale } from '#platform/language/locale'

/** Sets or changes the password. */
export function PasswordPage(facts: {
  locale: Locale
  csrf_token: string
  email: string
  is_first: boolean
  fault: string | undefined
}): JSX.Element {
  const { locale, fault } = facts
  const { t } = locale
  const title = t(facts.is_first ? 'account.password_set_title' : 'account.password_change_title')
  return (
    <FocusLayout
      locale={locale}
      title={t('account.page_title', { title })}
      has_error={fault !== undefined}
    >
      <Heading title={title}>{t('account.password_text')}</Heading>
      <Form action="/account/security/password" csrf_token={facts.csrf_token}>
        <UsernameField value={facts.email} />
        <NewPasswordField label={t('account.new_password')} error={fault} />
        <Button kind="primary" pending={t('account.saving')} wide>
          {t('account.save_password')}
        </Button>
      </Form>
      <BackLink href="/account/security/">{t('menu.security')}</BackLink>
    </FocusLayout>
  )
}

/** Changes the email of the account. */
export function EmailPage(facts: {
  locale: Locale
  csrf_token: string
  email: string
  value: string
  fault: string | undefined
}): JSX.Element {
  const { locale, fault } = facts
  const { t, rich } = locale
  const title = t('account.email_title')
  return (
    <FocusLayout
      locale={locale}
      title={t('account.page_title', { title })}
      has_error={fault !== undefined}
    >
      <Heading title={title}>
        {rich('account.email_text', { email: <Mailbox address={facts.email} /> })}
      </Heading>
      <Form action="/account/security/email" csrf_token={facts.csrf_token}>
        <Field
          label={t('account.new_email')}
          name="email"
          type="email"
          autocomplete="email"
          value={facts.value}
          error={fault}
        />
        <Button kind="primary" pending={t('account.sending')} wide>
          {t('account.email_send')}
        </Button>
      </Form>
      <BackLink href="/account/security/">{t('menu.security')}</BackLink>
    </FocusLayout>
  )
}
