import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Alert } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import { ENGLISH, type Locale, type MessageId } from '#platform/language/locale'
import { durationText } from '#platform/text'

const TITLES: Record<number, MessageId> = {
  403: 'error.title_refused',
  404: 'error.title_not_found',
  405: 'error.title_not_found',
  429: 'error.title_rate_limited',
  500: 'error.title_internal',
  503: 'error.title_unavailable',
}

/** What an error page shows. */
export interface ErrorFacts {
  status: number
  code: string
  message: string
  /** The seconds to wait, if the error names them. */
  retry_after: number | undefined
  /** The order that a refused form of a checkout was about, as a path. */
  order: string | undefined
  request_id: string
  locale: Locale
}

/** The message of an error for a page; undefined where only its own, in English, says enough. */
function messageOf({ code, retry_after, locale }: ErrorFacts): string | undefined {
  const { t } = locale
  const isEnglish = locale.language === ENGLISH.language
  switch (code) {
    case 'not_found':
    case 'method_not_allowed':
    case 'internal_error':
    case 'signed_out':
    case 'stale_form':
    case 'unsupported_media_type':
      return t(`error.${code}`)
    case 'busy':
    case 'rate_limited':
      if (retry_after === undefined) return undefined
      return t('error.rate_limited', { wait: durationText(retry_after, locale) })
    // Their own messages are more exact.
    case 'invalid_request':
    case 'payload_too_large':
    case 'service_unavailable':
      return isEnglish ? undefined : t(`error.${code}`)
  }
}

/** The page of an error; in English if the error has no message in the page's language. */
export function ErrorPage(facts: ErrorFacts) {
  const message = messageOf(facts)
  const locale = message === undefined ? ENGLISH : facts.locale
  const { t } = locale
  const title = t(TITLES[facts.status] ?? 'error.title_failed')
  return (
    <FocusLayout locale={locale} title={t('redirected.page_title', { title })}>
      <Heading title={title}>{message ?? facts.message}</Heading>
      {facts.order ? (
        <Button href={facts.order} kind="primary">
          {t('error.order')}
        </Button>
      ) : (
        <Button href="/" kind="plain">
          {t('error.home')}
        </Button>
      )}
      <p class="text-xs text-muted">{t('error.reference', { id: facts.request_id })}</p>
    </FocusLayout>
  )
}

/** A checkout that does not exist, or that another browser began. */
export function NoCheckoutPage({ locale }: { locale: Locale }) {
  const { t } = locale
  const title = t('no_checkout.title')
  return (
    <FocusLayout locale={locale} title={t('redirected.page_title', { title })}>
      <Heading title={title}>{t('no_checkout.text')}</Heading>
      <Button href="/account/">{t('no_checkout.purchases')}</Button>
    </FocusLayout>
  )
}

/** The page for a buy link whose return address is not registered with the app. */
export function MisconfiguredPage(facts: {
  app_name: string
  app_icon: string | undefined
  locale: Locale
}): JSX.Element {
  const { app_name, app_icon, locale } = facts
  const { t, rich } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('misconfigured.page_title', { app: app_name })}
      app_name={app_name}
      app_icon={app_icon}
    >
      <Heading title={t('misconfigured.title')}>
        {t('misconfigured.text', { app: app_name })}
      </Heading>
      <Alert tone="info" title={t('misconfigured.seller_title')}>
        {rich('misconfigured.seller_text', {
          code: (text) => <code class="font-mono text-xs">{text}</code>,
        })}
      </Alert>
    </FocusLayout>
  )
}
