import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { FocusLayout } from '#design/layout'
import { Heading } from '#design/panels'
import type { Locale } from '#platform/language/locale'

/** Shows what was done until the browser opens the next address. */
export function RedirectPage(facts: {
  title: string
  address: string
  locale: Locale
}): JSX.Element {
  const { title, address, locale } = facts
  const { t } = locale
  return (
    <FocusLayout locale={locale} title={t('redirected.page_title', { title })}>
      <Heading title={title} done>
        {t('redirected.text')}
      </Heading>
      <Button kind="primary" href={address} icon_after="arrow-right" wide>
        {t('redirected.continue')}
      </Button>
    </FocusLayout>
  )
}
