import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import type { Locale } from '#platform/language/locale'

/** Asks the owner of an account to confirm their email first. */
export function UnprovenPage({ locale }: { locale: Locale }): JSX.Element {
  const { t } = locale
  const title = t('unproven.title')
  return (
    <FocusLayout locale={locale} title={t('unproven.page_title', { title })}>
      <Heading title={title}>{t('unproven.text')}</Heading>
      <Button href="/account/" wide>
        {t('unproven.view')}
      </Button>
    </FocusLayout>
  )
}
