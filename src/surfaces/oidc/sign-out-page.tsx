import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Form, HiddenFields } from '#design/forms'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import type { Locale } from '#platform/language/locale'

/**
 * What a sign-out ends: the app in every browser with the session here, or one login of the app,
 * whose account is not signed in here. `other_than` is the account that is, empty if unknown.
 */
type SignOutScope = 'app' | 'login' | { other_than: string }

/** Asks whether to sign out (spec: Sign-in rules, 6). */
export function SignOutPage(facts: {
  locale: Locale
  app_name: string | undefined
  app_icon: string | undefined
  ends: SignOutScope
  csrf_token: string
  /** The app's parameters, which are validated again when the form is sent. */
  requested: Record<string, string>
  stay_url: string
}): JSX.Element {
  const { app_name, requested, locale } = facts
  const { t } = locale
  const title = t('signout.title', { app: app_name ?? 'Purser' })
  return (
    <FocusLayout
      signs_out
      locale={locale}
      title={t('signin.page_title', { title })}
      app_icon={facts.app_icon}
      app_name={app_name}
    >
      <Heading title={title}>{consequenceOf(facts)}</Heading>
      <div class="grid gap-3">
        <Form action="/o/session/end/sign-out" csrf_token={facts.csrf_token}>
          <HiddenFields values={requested} />
          <Button kind="primary" pending={t('signout.signing_out')} wide>
            {t('signout.sign_out')}
          </Button>
        </Form>
        <Button href={facts.stay_url} wide>
          {t('signout.stay')}
        </Button>
      </div>
    </FocusLayout>
  )
}

function consequenceOf(facts: {
  app_name: string | undefined
  ends: SignOutScope
  locale: Locale
}): string {
  const { app_name: app, ends, locale } = facts
  const { t } = locale
  if (app === undefined) return t('signout.of_purser')
  if (ends === 'app') return t('signout.of_app', { app })
  if (ends === 'login') return t('signout.of_login', { app })
  const email = ends.other_than
  return email === '' ? t('signout.of_other', { app }) : t('signout.of_other_than', { app, email })
}

/** An invalid sign-out request of an app. */
export function ImpossibleSignOutPage(facts: { message: string; locale: Locale }): JSX.Element {
  const { message, locale } = facts
  const { t } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('signout.failed_title') })}
    >
      <Heading title={t('signout.failed_title')}>{t('signout.failed_text')}</Heading>
      <Button href="/" wide>
        {t('signout.home')}
      </Button>
      <p class="text-xs text-muted">{t('signout.details', { message })}</p>
    </FocusLayout>
  )
}
