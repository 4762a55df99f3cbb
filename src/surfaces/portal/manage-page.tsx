import type { JSX } from 'preact'
import { Button } from '#design/actions'
import { Badge } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, Money } from '#design/money'
import { PageNav } from '#design/navigation'
import { Heading, Panel, RecordRows } from '#design/panels'
import type { ReceiptLine } from '#domain/billing'
import type { Cents } from '#platform/money'
import { NoteAlert } from './layout.tsx'
import type { ManageFacts } from './manage-facts.ts'
import { PlanPanel } from './plan-panel.tsx'
import { CardPanel, KeyPanel } from './side-panels.tsx'
import { StatusNote } from './status-note.tsx'

/** A buyer's purchase of one app, and what they can change about it. */
export function ManagePage(facts: ManageFacts): JSX.Element {
  const fault = facts.note?.tone === 'error' ? 'Error: ' : ''
  return (
    <SiteLayout title={`${fault}${facts.app_name} · Your purchase`} notice={facts.notice}>
      <div class="flex flex-wrap items-end justify-between gap-4">
        <Heading title={facts.app_name}>Your plan, your key, your card and your receipts.</Heading>
        <Button href={facts.back_url} icon="arrow-left">
          Back to your app
        </Button>
      </div>
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

const KINDS: Record<ReceiptLine['kind'], string> = {
  purchase: 'Purchase',
  renewal: 'Renewal',
  upgrade: 'Plan change',
}

function Receipts(facts: ManageFacts): JSX.Element {
  const { receipts, at } = facts
  return (
    <Panel title="Receipts">
      {receipts.length === 0 ? (
        <p class="text-sm text-muted">No receipts yet.</p>
      ) : (
        <RecordRows
          records={receipts.map(({ id, kind, product_name, total, given_back, paid_at }) => ({
            key: id,
            title: `${product_name}, ${KINDS[kind].toLocaleLowerCase('en-US')}`,
            details: [<Day date={paid_at} />, <Money amount={total} />],
            aside: given_back > 0 && (
              <Badge tone="warn">
                {given_back === total ? 'Refunded' : <Refunded amount={given_back} />}
              </Badge>
            ),
            action: (
              <Button href={at(`invoices/${id}.pdf`)} describedby={`record-${id}`}>
                Receipt (PDF)
              </Button>
            ),
          }))}
        />
      )}
      <PageNav
        label="Pages of receipts"
        {...facts.paging}
        href={(page) => at('', { page: String(page) })}
      />
      {facts.may_resend && (
        <Form action={at('receipt')} csrf_token={facts.csrf_token}>
          <div>
            <Button icon="mail" pending="Sending…">
              Resend receipt email
            </Button>
          </div>
        </Form>
      )}
    </Panel>
  )
}

function Refunded({ amount }: { amount: Cents }): JSX.Element {
  return (
    <>
      <Money amount={amount} /> refunded
    </>
  )
}
