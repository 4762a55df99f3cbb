import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { AppIcon } from '#design/brand'
import { Alert, StatusBadge } from '#design/feedback'
import { SiteLayout } from '#design/layout'
import { Day, Money } from '#design/money'
import { EmptyState, Heading, Mailbox } from '#design/panels'
import { RecordCards } from '#design/records'
import { iconPath } from '#domain/apps'
import type { Purchase } from '#domain/billing'
import type { Locale } from '#platform/language/locale'
import type { Cents } from '#platform/money'

/** The next charge or the end of a purchase. */
export interface Outlook {
  kind: 'next_charge' | 'first_charge' | 'amount_due' | 'ends' | 'pauses' | 'ended'
  amount?: Cents
  /** True if a tax service will compute the exact tax at that time. */
  is_about?: boolean
  day?: Date
}

/** The purchases of an account. */
export function PurchasesPage(facts: {
  locale: Locale
  email: string
  purchases: (Purchase & { outlook: Outlook | undefined })[]
  /** The next page with older purchases; undefined on the last page. */
  older_url: string | undefined
  /** True while the email is unconfirmed and only one app's purchase is shown. */
  is_limited: boolean
}): JSX.Element {
  const { locale } = facts
  const { t, rich } = locale
  return (
    <SiteLayout locale={locale} title={t('purchases.page_title')}>
      <Heading title={t('purchases.title')}>
        {rich('purchases.signed_in', { email: <Mailbox address={facts.email} /> })}
      </Heading>
      {facts.is_limited && (
        <Alert tone="info" title={t('purchases.confirm_title')}>
          {t('purchases.confirm_text')}
        </Alert>
      )}
      {facts.purchases.length === 0 ? (
        <EmptyState
          title={t('purchases.none_title')}
          action={<Button href="/">{t('purchases.browse')}</Button>}
        >
          {t('purchases.none_text')}
        </EmptyState>
      ) : (
        <RecordCards
          records={facts.purchases.map((purchase) => ({
            key: purchase.license_id,
            href: `/manage/${purchase.app_id}/`,
            title: `${purchase.app_name} ${purchase.product_name}`,
            details: [
              rich(beginningOf(purchase), {
                day: <Day date={purchase.created_at} />,
              }),
              ...(purchase.outlook ? [outlookText(purchase.outlook, locale)] : []),
            ],
            mark: <AppIcon name={purchase.app_name} icon={iconPath(purchase)} />,
            aside: <StatusBadge status={purchase.status} />,
          }))}
        />
      )}
      {facts.older_url && (
        <Actions>
          <Button href={facts.older_url} kind="plain">
            {t('purchases.older')}
          </Button>
        </Actions>
      )}
    </SiteLayout>
  )
}

function outlookText({ kind, amount, is_about, day }: Outlook, { rich }: Locale) {
  const isCharge = kind === 'next_charge' || kind === 'first_charge'
  return rich(isCharge && is_about ? `purchases.${kind}_about` : `purchases.${kind}`, {
    ...(amount !== undefined && { amount: <Money amount={amount} /> }),
    ...(day && { day: <Day date={day} /> }),
  })
}

function beginningOf({ is_given, was_imported }: Purchase) {
  if (was_imported) return 'purchases.imported_on'
  return is_given ? 'purchases.given_on' : 'purchases.bought_on'
}
