import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day } from '#design/money'
import { DescriptionList, Heading, Mailbox, Panel } from '#design/panels'
import type { Locale } from '#platform/language/locale'

/** The profile of an account, with the export of its data and its deletion. */
export function ProfilePage(facts: {
  locale: Locale
  csrf_token: string
  email: string
  created_at: Date
  user_id: string
}): JSX.Element {
  const { locale } = facts
  const { t } = locale
  const title = t('menu.profile')
  return (
    <SiteLayout locale={locale} title={t('account.page_title', { title })}>
      <Heading title={title}>{t('account.profile_text')}</Heading>
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <div class="lg:col-span-2">
          <Panel title={t('account.account')}>
            <DescriptionList
              items={[
                { term: t('account.email'), detail: <Mailbox address={facts.email} /> },
                { term: t('account.created'), detail: <Day date={facts.created_at} /> },
                {
                  term: t('account.id'),
                  detail: <span class="font-mono">{facts.user_id}</span>,
                },
              ]}
            />
            <Actions>
              <Button href="/account/security/email">{t('account.change_email')}</Button>
            </Actions>
          </Panel>
        </div>
        <Panel title={t('account.data')}>
          <p class="text-sm text-muted">{t('account.data_text')}</p>
          <Form action="/account/profile/export" csrf_token={facts.csrf_token}>
            <Actions>
              <Button pending={t('account.data_exporting')}>{t('account.data_export')}</Button>
            </Actions>
          </Form>
        </Panel>
        <Panel title={t('account.delete')}>
          <p class="text-sm text-muted">{t('account.delete_text')}</p>
          <Actions>
            <Button kind="danger" href="/account/profile/delete">
              {t('account.delete')}
            </Button>
          </Actions>
        </Panel>
      </div>
    </SiteLayout>
  )
}
