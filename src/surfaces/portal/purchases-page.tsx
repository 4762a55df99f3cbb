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

/** The next charge of a purchase, what is due for it, or its end. */
export type Outlook =
  | {
      kind: 'next_charge' | 'first_charge'
      amount: Cents
      /** True if a tax service will compute the exact tax at that time. */
      is_about: boolean
      day: Date
    }
  | { kind: 'amount_due'; amount: Cents }
  | { kind: 'ends' | 'pauses' | 'ended'; day: Date }

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

function outlookText(outlook: Outlook, { rich }: Locale) {
  const id =
    'is_about' in outlook && outlook.is_about
      ? (`purchases.${outlook.kind}_about` as const)
      : (`purchases.${outlook.kind}` as const)
  return rich(id, {
    ...('amount' in outlook && { amount: <Money amount={outlook.amount} /> }),
    ...('day' in outlook && { day: <Day date={outlook.day} /> }),
  })
}

function beginningOf({ is_given, was_imported }: Purchase) {
  if (was_imported) return 'purchases.imported_on'
  return is_given ? 'purchases.given_on' : 'purchases.bought_on'
}
