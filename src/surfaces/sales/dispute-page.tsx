import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Badge, NoteAlert } from '#design/feedback'
import { Form, TextareaField } from '#design/forms'
import { Day, formatMoney, Money } from '#design/money'
import { DescriptionList, Panel } from '#design/panels'
import { invoiceNumber, type SellerInvoice } from '#domain/billing'
import type { Dispute, Evidence } from '#domain/payments'
import type { ActionNote } from '#http/action-note'
import { DISPUTE_REASONS } from '#http/dispute-reasons'
import type { Cents } from '#platform/money'
import { DISPUTE_LABELS } from './labels.ts'
import { SalesLayout } from './layout.tsx'
import { SaleHeader } from './sale-header.tsx'
import type { SalesPageFacts } from './sales-context.ts'

export interface DisputePageFacts extends SalesPageFacts {
  invoice: SellerInvoice
  dispute: Dispute
  /** The evidence that was submitted, or would be now. */
  evidence: Evidence
  /** Whether the processor still accepts evidence. */
  is_accepted: boolean
  statement: string
  longest_statement: number
  cost: Cents
  /** Whether the disputed license has ended; then the dispute does not change it. */
  has_ended: boolean
  note: ActionNote | undefined
  fault: string | undefined
}

const FIELDS: [name: keyof Evidence, label: string][] = [
  ['product_description', 'Product'],
  ['access_activity_log', 'Activity'],
  ['receipt', 'Receipt'],
  ['refund_policy_disclosure', 'Terms and refunds'],
  ['uncategorized_text', 'Your statement'],
]

/** A dispute: reason, deadline and evidence. */
export function DisputePage(facts: DisputePageFacts): JSX.Element {
  const { dispute, invoice, base } = facts
  const number = invoiceNumber(invoice.number)
  const [label, tone] = DISPUTE_LABELS[dispute.status]
  const closed = dispute.status === 'inquiry_closed' ? 'Closed' : 'Decided'
  return (
    <SalesLayout
      {...facts}
      title={`Dispute of ${number} · Purser`}
      header={
        <SaleHeader
          role={facts.role}
          title={`Dispute of ${formatMoney(dispute.amount)}`}
          back={{ label: number, href: `${base}/sales/${invoice.id}/` }}
          aside={<Badge tone={tone}>{label}</Badge>}
        >
          {DISPUTE_REASONS[dispute.reason]}
        </SaleHeader>
      }
    >
      <NoteAlert note={facts.note} />
      <Consequences {...facts} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-[minmax(0,1fr)_minmax(0,1.5fr)]">
        <div class="grid grid-cols-1 gap-5">
          <Panel title="Details">
            <DescriptionList
              items={[
                { term: 'Invoice', detail: number },
                { term: 'Buyer', detail: invoice.email },
                { term: 'Disputed', detail: <Money amount={dispute.amount} /> },
                { term: 'Opened', detail: <Day date={dispute.opened_at} /> },
                { term: 'Evidence due', detail: <Day date={dispute.due_at} /> },
                ...(dispute.submitted_at
                  ? [{ term: 'Evidence submitted', detail: <Day date={dispute.submitted_at} /> }]
                  : []),
                ...(dispute.closed_at
                  ? [{ term: closed, detail: <Day date={dispute.closed_at} /> }]
                  : []),
              ]}
            />
          </Panel>
          {facts.is_accepted && <Send {...facts} />}
        </div>
        <Panel title={dispute.submitted_at ? 'Submitted evidence' : 'Evidence'}>
          {FIELDS.map(
            ([name, label]) =>
              facts.evidence[name] && (
                <section key={name} class="grid gap-1.5 text-sm">
                  <h3 class="font-medium">{label}</h3>
                  <p class="whitespace-pre-line text-muted">{facts.evidence[name]}</p>
                </section>
              ),
          )}
        </Panel>
      </div>
    </SalesLayout>
  )
}

function Consequences(facts: DisputePageFacts): JSX.Element {
  const { dispute, cost, has_ended } = facts
  const fee = formatMoney(cost)
  const open = has_ended
    ? `The bank withdrew the payment. The license had already ended. If you win, the amount and the ${fee} fee are returned, and the license stays canceled.`
    : `The bank withdrew the payment, and the license is paused. If you win, the amount and the ${fee} fee are returned, and the same key works again. If you lose, the license ends.`
  const texts: Record<Dispute['status'], string> = {
    inquiry:
      'The bank requests information. No funds were withdrawn, and the license is unchanged. Respond, or refund the buyer, before it becomes a dispute.',
    inquiry_closed: 'The bank closed the inquiry. No funds were withdrawn.',
    open,
    won: 'The bank decided for the seller.',
    lost: `The bank decided for the buyer. The license is canceled. The amount and the ${fee} fee are not returned.`,
  }
  return <p class="max-w-prose text-sm">{texts[dispute.status]}</p>
}

/** When evidence was submitted last, as its form says it. */
export function submittedAt({ submitted_at }: Dispute): string {
  return submitted_at?.toISOString() ?? ''
}

function Send(facts: DisputePageFacts): JSX.Element {
  const { base, dispute, csrf_token, statement, fault, longest_statement } = facts
  return (
    <Panel title={dispute.submitted_at ? 'Submit again' : 'Respond'}>
      <Form action={`${base}/disputes/${dispute.id}/`} csrf_token={csrf_token}>
        <input type="hidden" name="submitted_at" value={submittedAt(dispute)} />
        <TextareaField
          label="Your statement"
          name="statement"
          optional
          rows={6}
          maxlength={longest_statement}
          value={statement}
          error={fault}
          hint="Add what we do not know: your messages with the buyer, what you delivered. The evidence goes to the bank immediately, and you may not be able to change it."
        />
        <Actions>
          <Button kind="primary" pending="Submitting…">
            Submit evidence
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}
