import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout, SiteLayout } from '#design/layout'
import { EmptyState, Mailbox } from '#design/panels'
import { PaymentProcessing } from '#http/payment-processing'
import type { Locale } from '#platform/language/locale'
import { AppHeader } from './layout.tsx'

/** For a signed-in person without a license of the app. */
export function NothingHerePage(facts: {
  locale: Locale
  app_name: string
  /** Undefined if the app has no product page. */
  product_url: string | undefined
  email: string
  back_url: string
}): JSX.Element {
  const { locale } = facts
  const { t, rich } = locale
  return (
    <SiteLayout locale={locale} title={t('portal.nothing_page_title', { app: facts.app_name })}>
      <AppHeader {...facts} />
      <EmptyState
        title={t('portal.nothing_title', { app: facts.app_name })}
        action={
          facts.product_url && <Button href={facts.product_url}>{t('portal.view_plans')}</Button>
        }
      >
        {rich('portal.nothing_text', { email: <Mailbox address={facts.email} /> })}
      </EmptyState>
    </SiteLayout>
  )
}

/** A payment that the processor has not answered yet. */
export function WaitingPage(facts: {
  locale: Locale
  app_name: string
  app_icon: string | undefined
  url: string
  email: string
  is_slow: boolean
  manage_url: string
  notice: string | undefined
}): JSX.Element {
  const { locale } = facts
  const { t } = locale
  return (
    <FocusLayout
      locale={locale}
      title={t('processing.page_title', { app: facts.app_name })}
      app_name={facts.app_name}
      app_icon={facts.app_icon}
      selling
      notice={facts.notice}
      refresh_seconds={3}
    >
      <PaymentProcessing {...facts} href={facts.url} />
      <Button href={facts.manage_url} wide>
        {t('portal.back_to_purchase')}
      </Button>
    </FocusLayout>
  )
}
