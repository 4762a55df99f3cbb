import type { JSX } from 'preact'
import { BackLink } from '#design/actions'
import { ErrorSummary } from '#design/feedback'
import { FocusLayout } from '#design/layout'
import { Day, formatMoney } from '#design/money'
import { DescriptionList, Heading, Mailbox, RecordRows } from '#design/panels'
import { cardName } from '#domain/payments'
import { CardForm, type CardFormFacts, errorsOf, TestMode } from './card-pages.tsx'
import type { Portal, PortalPayment } from './portals.ts'

function detailOf({ status, refunded }: PortalPayment): string {
  if (status === 'declined') return 'Declined'
  return refunded > 0 ? `Paid, ${formatMoney(refunded)} refunded` : 'Paid'
}

function History({ payments }: { payments: PortalPayment[] }): JSX.Element {
  if (payments.length === 0) return <p class="text-sm text-muted">Nothing was paid so far.</p>
  const records = payments.map((payment) => ({
    key: payment.id,
    title: payment.description,
    details: [<Day key="day" date={payment.created_at} />, detailOf(payment)],
    action: <span class="font-medium tabular-nums">{formatMoney(payment.amount)}</span>,
  }))
  return <RecordRows records={records} />
}

/** The billing portal: card on file, payments, and replacing the card. */
export function PortalPage({
  portal,
  payments,
  kept,
  faults,
}: { portal: Portal; payments: PortalPayment[] } & CardFormFacts): JSX.Element {
  const { app_name, card, email, return_url } = portal
  const expiry = `${String(card.exp_month).padStart(2, '0')} / ${card.exp_year}`
  const items = [
    { term: 'Card', detail: cardName(card) },
    { term: 'Expires', detail: expiry },
    { term: 'Billing ZIP code', detail: card.billing_zip },
    { term: 'Account', detail: <Mailbox address={email} /> },
  ]
  return (
    <FocusLayout
      title={`${faults ? 'Error: ' : ''}Your card and payments · ${app_name}`}
      app_name={app_name}
      selling
      notice={<TestMode />}
    >
      <BackLink href={return_url}>Back to your plan</BackLink>
      <Heading title="Your card and payments">This card pays for {app_name}.</Heading>
      <ErrorSummary errors={errorsOf(faults)} />
      <DescriptionList items={items} />
      <section class="grid gap-4">
        <h2 class="text-lg font-semibold">Use another card</h2>
        <CardForm kept={kept} faults={faults} label="Save this card" />
      </section>
      <section class="grid gap-4">
        <h2 class="text-lg font-semibold">Payments</h2>
        <History payments={payments} />
      </section>
    </FocusLayout>
  )
}
