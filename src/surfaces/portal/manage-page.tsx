import type { ComponentChildren, JSX } from 'preact'
import { Button, TextLink } from '#design/actions'
import { Badge, NoteAlert } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, Money } from '#design/money'
import { PageNav } from '#design/navigation'
import { Panel } from '#design/panels'
import { RecordRows, recordDescription } from '#design/records'
import { afterRefunds } from '#domain/billing'
import type { Locale } from '#platform/language/locale'
import { type Cents, cents } from '#platform/money'
import { AppHeader } from './layout.tsx'
import type { ListedReceipt, ManageFacts } from './manage-facts.ts'
import { PlanPanel } from './plan-panel.tsx'
import { CardPanel, KeyPanel } from './side-panels.tsx'
import { StatusNote } from './status-note.tsx'

/** A buyer's purchase of one app, and what they can change about it. */
export function ManagePage(facts: ManageFacts): JSX.Element {
  const { app_name: app, locale } = facts
  const { t } = locale
  return (
    <SiteLayout
      locale={locale}
      title={t('portal.page_title', { app })}
      has_error={facts.note?.tone === 'error'}
      notice={facts.notice}
    >
      <AppHeader {...facts}>{t('portal.intro')}</AppHeader>
      <NoteAlert note={facts.note} />
      <StatusNote {...facts} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1.3fr)_minmax(0,1fr)] lg:grid-rows-[auto_1fr]">
        <PlanPanel {...facts} />
        <div class="grid grid-cols-1 gap-5 lg:row-span-2">
          <KeyPanel {...facts} />
          <CardPanel {...facts} />
        </div>
        <Receipts {...facts} />
      </div>
    </SiteLayout>
  )
}

/** A buyer who was repaid outside their card may be refunded at the processor as well. */
function refundedText(total: Cents, refunded: Cents, { t, rich }: Locale): ComponentChildren {
  const { left, excess } = afterRefunds(total, refunded)
  if (excess > 0) return rich('portal.refunded_in_excess', { amount: <Money amount={excess} /> })
  return left === 0
    ? t('portal.refunded')
    : rich('portal.amount_refunded', { amount: <Money amount={refunded} /> })
}

type PaymentFacts = Omit<ListedReceipt, 'id' | 'number' | 'kind' | 'product_name' | 'paid_at'>

/** What became of a payment: refunds, disputes, and what was settled of an excess. */
function PaymentBadges(facts: PaymentFacts & { locale: Locale }): JSX.Element {
  const { total, refunded, refund_pending, owed, disputed, locale } = facts
  const confirmed = cents(refunded - refund_pending)
  const { t, rich } = locale
  const notes = (['returned', 'repaid', 'waived'] as const).filter((what) => facts[what] > 0)
  return (
    <>
      {confirmed > 0 && <Badge tone="warn">{refundedText(total, confirmed, locale)}</Badge>}
      {refund_pending > 0 && (
        <Badge tone="info">
          {refund_pending === total
            ? t('portal.refund_pending')
            : rich('portal.amount_refund_pending', { amount: <Money amount={refund_pending} /> })}
        </Badge>
      )}
      {owed > 0 && (
        <Badge tone="warn">
          {rich('portal.amount_refund_owed', { amount: <Money amount={owed} /> })}
        </Badge>
      )}
      {disputed > 0 && <Badge tone="warn">{t('portal.disputed')}</Badge>}
      {notes.map((what) => (
        <Badge key={what} tone={what === 'returned' ? 'warn' : 'neutral'}>
          {rich(`portal.payment_${what}`, { amount: <Money amount={facts[what]} /> })}
        </Badge>
      ))}
    </>
  )
}

function Receipts(facts: ManageFacts): JSX.Element {
  const { receipts, owed, at, locale } = facts
  const { t, rich } = locale
  return (
    <Panel title={t('portal.receipts')}>
      {receipts.length === 0 ? (
        <p class="text-sm text-muted">{t('portal.no_receipts')}</p>
      ) : (
        <RecordRows
          records={receipts.map(({ id, kind, product_name, paid_at, ...payment }) => ({
            key: id,
            title: t('portal.receipt_title', {
              product: product_name,
              kind: locale.lower(t(`portal.kind_${kind}`)),
            }),
            details: [<Day date={paid_at} />, <Money amount={payment.total} />],
            aside: <PaymentBadges {...payment} locale={locale} />,
            action: (
              <Button href={at(`invoices/${id}.pdf`)} describedby={recordDescription(id)}>
                {t('portal.receipt_pdf')}
              </Button>
            ),
          }))}
        />
      )}
      {owed > 0 && (
        <p class="text-sm">
          {rich('portal.refund_owed', {
            amount: <Money amount={owed} />,
            link: (text) => <TextLink href="/help/">{text}</TextLink>,
          })}
        </p>
      )}
      <PageNav
        label={t('portal.pages_of_receipts')}
        {...facts.paging}
        href={(page) => at('', { page: String(page) })}
      />
      {facts.may_resend && (
        <Form action={at('receipt')} csrf_token={facts.csrf_token}>
          <div>
            <Button icon="mail" pending={t('portal.sending')}>
              {t('portal.resend')}
            </Button>
          </div>
        </Form>
      )}
    </Panel>
  )
}
