import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { SiteLayout } from '#design/layout'
import { Heading } from '#design/panels'
import type { Locale } from '#platform/language/locale'

/** In test mode: a page of an account that is a copy of one in live mode. */
export function LiveAccountPage(facts: { locale: Locale; address: string }): JSX.Element {
  const { locale, address } = facts
  const { t } = locale
  const title = t('live_account.title')
  return (
    <SiteLayout locale={locale} title={t('account.page_title', { title })}>
      <div class="grid max-w-prose grid-cols-1 gap-6">
        <Heading title={title}>{t('live_account.text')}</Heading>
        <Actions>
          <Button kind="primary" href={address}>
            {t('live_account.open')}
          </Button>
        </Actions>
      </div>
    </SiteLayout>
  )
}
