import type { JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Form, NewPasswordField, UsernameField } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { DescriptionList, Heading } from '#design/panels'
import type * as identity from '#domain/identity'
import type { Locale } from '#platform/language/locale'

/** The page of a link from an email; nothing happens before its button is pressed. */
export function LinkPage(facts: {
  locale: Locale
  purpose: identity.LinkPurpose | 'sign_up'
  action: string
  csrf_token: string
  email: string
  /** The new email of an email change. */
  new_email: string | undefined
  /** The label of the password field if the page has one, and its error. */
  password: 'password' | 'new_password' | undefined
  fault: string | undefined
}): JSX.Element {
  const { purpose, locale } = facts
  const { t } = locale
  const title = t(`link.${purpose}_title`)
  const isElsewhere = purpose === 'sign_up' && facts.password !== undefined
  const text = isElsewhere ? t('link.sign_up_elsewhere') : t(`link.${purpose}_text`)
  const accounts = [{ term: t('link.account'), detail: facts.email }]
  if (facts.new_email) accounts.push({ term: t('link.new_address'), detail: facts.new_email })
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title })}
      has_error={facts.fault !== undefined}
    >
      <Heading title={title}>{text}</Heading>
      <DescriptionList items={accounts} />
      <Form action={facts.action} csrf_token={facts.csrf_token}>
        {facts.password && (
          <>
            <UsernameField value={facts.email} />
            <NewPasswordField label={t(`signin.${facts.password}`)} error={facts.fault} />
          </>
        )}
        <Button
          kind={purpose === 'not_me' ? 'danger' : 'primary'}
          pending={t('signin.one_moment')}
          wide
        >
          {t(`link.${purpose}_action`)}
        </Button>
      </Form>
    </FocusLayout>
  )
}

/** A link that has expired or was already used, perhaps to sign in to this browser. */
export function ExpiredLinkPage(facts: {
  locale: Locale
  signed_in_as: string | undefined
}): JSX.Element {
  const { locale, signed_in_as: email } = facts
  const { t } = locale
  return (
    <FocusLayout locale={locale} title={t('signin.page_title', { title: t('link.expired_title') })}>
      <Heading title={t('link.expired_title')}>
        {email === undefined ? t('link.expired_text') : t('link.expired_signed_in', { email })}
      </Heading>
      <Button kind="primary" href={email === undefined ? '/signin/' : '/account/'} wide>
        {email === undefined ? t('link.go_to_sign_in') : t('link.go_to_account')}
      </Button>
    </FocusLayout>
  )
}

/** Shown after an account was disowned. */
export function LockedPage({ locale }: { locale: Locale }): JSX.Element {
  const { t } = locale
  return (
    <FocusLayout locale={locale} title={t('signin.page_title', { title: t('link.locked_title') })}>
      <Heading title={t('link.locked_title')} done>
        {t('link.locked_text')}
      </Heading>
      <Questions locale={locale} />
    </FocusLayout>
  )
}

/** Shown after a new email was confirmed. */
export function EmailChangedPage({
  email,
  locale,
}: {
  email: string
  locale: Locale
}): JSX.Element {
  const { t } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('link.email_changed_title') })}
    >
      <Heading title={t('link.email_changed_title')} done>
        {t('link.email_changed_text', { email })}
      </Heading>
      <Button kind="primary" href="/account/security/" wide>
        {t('link.go_to_account')}
      </Button>
    </FocusLayout>
  )
}

/** A payment with the old or the new email is pending, so the change waits. */
export function EmailPayingPage({ locale }: { locale: Locale }): JSX.Element {
  const { t } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('link.email_paying_title') })}
    >
      <Heading title={t('link.email_paying_title')}>{t('link.email_paying')}</Heading>
      <Questions locale={locale} />
    </FocusLayout>
  )
}

/** The new email already has an account, or an undone change needs staff. */
export function EmailTakenPage(facts: { is_locked: boolean; locale: Locale }): JSX.Element {
  const { is_locked, locale } = facts
  const { t } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('link.email_taken_title') })}
    >
      <Heading title={t('link.email_taken_title')}>
        {is_locked ? t('link.email_taken_locked') : t('link.email_taken')}
      </Heading>
      <Questions locale={locale} />
    </FocusLayout>
  )
}

function Questions({ locale: { rich } }: { locale: Locale }): JSX.Element {
  return (
    <p class="text-sm text-muted">
      {rich('link.questions', { link: (text) => <TextLink href="/help/">{text}</TextLink> })}
    </p>
  )
}
