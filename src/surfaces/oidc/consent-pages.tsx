import type { ComponentChildren, JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Form } from '#design/forms'
import { Icon } from '#design/icons'
import { FocusLayout } from '#design/layout'
import { Heading, Mailbox } from '#design/panels'
import type { Locale } from '#platform/language/locale'
import { AllowOrCancel, type ConsentForms } from './consent-forms.tsx'

/** What each scope shares with the app, for the person who decides. */
const SHARED = ['openid', 'entitlements'] as const

function shareOf(scope: string, { t }: Locale): string {
  const known = SHARED.find((each) => each === scope)
  return known ? t(`consent.scope_${known}`) : scope
}

/** Asks for consent (spec: Sign-in rules, 4 and 7). */
export function ConsentPage(
  facts: ConsentForms & {
    app_name: string
    app_url: string | undefined
    app_icon: string | undefined
    /** The host of the app's redirect URL. */
    redirect_host: string
    scopes: string[]
    email: string
    another_url: string
  },
): JSX.Element {
  const { app_name, app_url, locale } = facts
  const { t, rich } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('consent.title', { app: app_name }) })}
      app_name={app_name}
      app_icon={facts.app_icon}
      app_url={app_url}
    >
      <Heading title={t('consent.title', { app: app_name })}>
        {rich('consent.text', {
          email: <Mailbox address={facts.email} />,
          link: (text) => <TextLink href={facts.another_url}>{text}</TextLink>,
        })}
      </Heading>
      <section class="grid gap-3" aria-labelledby="shared">
        <h2 id="shared" class="font-semibold">
          {t('consent.receives', { app: app_name })}
        </h2>
        <ul class="grid gap-3 text-sm">
          {facts.scopes.map((scope) => (
            <li key={scope} class="flex gap-2.5">
              <span class="mt-0.5 text-primary">
                <Icon name="check" size="size-4" />
              </span>
              {shareOf(scope, locale)}
            </li>
          ))}
        </ul>
        <p class="text-sm text-muted">{t('consent.not_received')}</p>
      </section>
      <AllowOrCancel {...facts} />
      <p class="text-xs text-muted">
        {rich('consent.continue_to', {
          host: facts.redirect_host,
          b: (text) => <strong class="font-semibold break-all">{text}</strong>,
        })}
      </p>
    </FocusLayout>
  )
}

/** Asks which account to use (`prompt=select_account`). */
export function ChoicePage(facts: {
  locale: Locale
  app_name: string | undefined
  app_icon: string | undefined
  email: string
  csrf_token: string
  choose_url: string
  another_url: string
}): JSX.Element {
  const { app_name, locale } = facts
  const { t } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('consent.choose_title') })}
      app_icon={facts.app_icon}
      app_name={app_name}
    >
      <Heading title={t('consent.choose_title')}>
        {t('consent.choose_text', { app: app_name ?? t('consent.the_agent') })}
      </Heading>
      <div class="grid gap-3">
        <Form action={facts.choose_url} csrf_token={facts.csrf_token}>
          <Button kind="primary" pending={t('consent.one_moment')} wide>
            {t('consent.continue_as', { email: facts.email })}
          </Button>
        </Form>
        <Button href={facts.another_url} wide>
          {t('consent.other_account')}
        </Button>
      </div>
    </FocusLayout>
  )
}

/** A sign-in that cannot continue: it began in another browser, expired, or was finished before. */
export function StalePage(facts: {
  locale: Locale
  app_name: string | undefined
  start_url: string | undefined
}): JSX.Element {
  const { app_name, start_url, locale } = facts
  const { t } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('consent.stale_title') })}
      app_name={app_name}
    >
      <Heading title={t('consent.stale_title')}>
        {app_name ? t('consent.stale_text', { app: app_name }) : t('consent.stale_unknown')}
      </Heading>
      <Button kind="primary" href={start_url ?? '/'} wide>
        {app_name && start_url ? t('consent.go_to', { app: app_name }) : t('consent.home')}
      </Button>
    </FocusLayout>
  )
}

/** An invalid request from an app; the user cannot be redirected back to it. */
export function RefusedPage(facts: {
  locale: Locale
  app_name: string | undefined
  app_url: string | undefined
  is_ours: boolean
  /** The documentation for an agent whose request is invalid. */
  agents_url: string | undefined
  code: string
  message: string | undefined
  request_id: string
}): JSX.Element {
  const { app_name, app_url, is_ours, agents_url, code, message, locale } = facts
  const { t, rich } = locale
  const inCode = (text: ComponentChildren) => <code class="font-mono">{text}</code>
  const app = app_name ?? t(agents_url ? 'consent.the_agent' : 'consent.the_app')
  return (
    <FocusLayout
      locale={locale}
      title={t('signin.page_title', { title: t('consent.failed_title') })}
      app_name={app_name}
    >
      <Heading title={t('consent.failed_title')}>
        {is_ours ? t('consent.failed_ours') : t('consent.failed_app', { app })}
      </Heading>
      <Button href={app_url ?? '/'} wide>
        {app_name && app_url ? t('consent.back_to', { app: app_name }) : t('consent.home')}
      </Button>
      {agents_url && !is_ours && (
        <p class="text-sm text-muted">
          {rich('consent.agent_port', {
            code: inCode,
            link: (text) => <TextLink href={agents_url}>{text}</TextLink>,
          })}
        </p>
      )}
      <p class="text-xs text-muted">
        {rich(message ? 'consent.details_message' : 'consent.details', {
          name: code,
          code: inCode,
          id: facts.request_id,
          ...(message && { message }),
        })}
      </p>
    </FocusLayout>
  )
}
