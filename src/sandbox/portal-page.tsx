import type { JSX } from 'preact'
import { BackLink } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { DescriptionList, Heading, Mailbox } from '#design/panels'
import { RecordRows } from '#design/records'
import { cardName } from '#domain/payments'
import type { Locale } from '#platform/language/locale'
import { CardForm, type CardFormFacts, errorsOf, TestMode } from './card-pages.tsx'
import type { Portal, PortalPayment } from './portals.ts'

function detailOf({ status, refunded }: PortalPayment, { t, money }: Locale): string {
  if (status === 'declined') return t('sandbox.declined')
  return refunded > 0 ? t('sandbox.paid_refunded', { amount: money(refunded) }) : t('sandbox.paid')
}

function History(facts: { payments: PortalPayment[]; locale: Locale }): JSX.Element {
  const { payments, locale } = facts
  const { t, day, money } = locale
  if (payments.length === 0) return <p class="text-sm text-muted">{t('sandbox.nothing_paid')}</p>
  const records = payments.map((payment) => ({
    key: payment.id,
    title: day(payment.created_at),
    details: [detailOf(payment, locale)],
    action: <span class="font-medium tabular-nums">{money(payment.amount)}</span>,
  }))
  return <RecordRows records={records} />
}

/** The billing portal: card on file, payments, and replacing the card. */
export function PortalPage(
  facts: { portal: Portal; payments: PortalPayment[] } & CardFormFacts,
): JSX.Element {
  const { portal, payments, values, faults, locale } = facts
  const { t } = locale
  const { app_name, app_icon, card, email, return_url } = portal
  const expiry = `${String(card.exp_month).padStart(2, '0')}/${card.exp_year % 100}`
  const items = [
    { term: t('sandbox.card'), detail: cardName(card, locale) },
    { term: t('sandbox.expires'), detail: expiry },
    { term: t('sandbox.zip'), detail: card.billing_zip },
    { term: t('sandbox.account'), detail: <Mailbox address={email} /> },
  ]
  return (
    <FocusLayout
      locale={locale}
      title={t('sandbox.portal_page_title', { app: app_name })}
      has_error={faults !== undefined}
      app_name={app_name}
      app_icon={app_icon ?? undefined}
      selling
      notice={<TestMode locale={locale} />}
    >
      <BackLink href={return_url}>{t('sandbox.back_to_plan')}</BackLink>
      <Heading title={t('sandbox.portal_title')}>
        {t('sandbox.portal_text', { app: app_name })}
      </Heading>
      <ErrorSummary errors={errorsOf(faults)} />
      <DescriptionList items={items} />
      <section class="grid gap-4">
        <h2 class="text-lg font-semibold">{t('sandbox.other_card')}</h2>
        <CardForm values={values} faults={faults} locale={locale} label={t('sandbox.save_card')} />
      </section>
      <section class="grid gap-4">
        <h2 class="text-lg font-semibold">{t('sandbox.payments')}</h2>
        <History payments={payments} locale={locale} />
      </section>
    </FocusLayout>
  )
}
