import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { CheckboxField, Field, Form } from '#design/forms'
import { formatMoney, Money } from '#design/money'
import { DescriptionList, Mailbox, Panel } from '#design/panels'
import { invoiceNumber, type SellerInvoice } from '#domain/billing'
import { placed } from '#http/field-places'
import { enteredFields, type FormFault, faultAt } from '#http/form-errors'
import { MAX_REASON_LENGTH } from '#http/reason'
import { type Cents, sum } from '#platform/money'
import { SalesLayout } from './layout.tsx'
import { SaleHeader } from './sale-header.tsx'
import type { SalesPageFacts } from './sales-context.ts'

/** The fields of the refund form. */
export interface RefundForm {
  amount: string
  reason: string
  /** Whether to refund the credit that an upgrade used as well. */
  credit: boolean
}

/** What a refund would do. */
interface QuotedRefund {
  reversal: { amount: Cents; tax: Cents; fee: Cents }
  cost: Cents
  kept: Cents
  ends_license: boolean
  credit: { reversal: { amount: Cents; tax: Cents; fee: Cents }; cost: Cents } | undefined
}

/** The refund form, then the exact amounts to confirm. */
export function RefundPage(
  facts: SalesPageFacts & {
    invoice: SellerInvoice
    form: RefundForm
    faults: FormFault[]
    /** The refundable amount; undefined if nothing can be refunded, for the reason given. */
    left: Cents | undefined
    /** The credit from earlier payments that an upgrade used, tax included; zero otherwise. */
    credit: Cents
    obstacle: string | undefined
    /** What would be refunded, once amount and reason are given. */
    quote: QuotedRefund | undefined
    /** A digest of what is shown, so that nothing else is done. */
    seen: string
    /** True if something changed since it was shown. */
    has_changed: boolean
  },
): JSX.Element {
  const { invoice, base, quote } = facts
  const path = `${base}/sales/${invoice.id}/`
  const title = `Refund ${invoiceNumber(invoice.number)}`
  return (
    <SalesLayout
      {...facts}
      title={`${title} · Purser`}
      has_error={facts.faults.length > 0}
      header={
        <SaleHeader
          role={facts.role}
          title={title}
          back={{ label: invoiceNumber(invoice.number), href: path }}
        >
          {invoice.product_name}, paid by <Mailbox address={invoice.email} />. The refund goes to
          the original card.
        </SaleHeader>
      }
    >
      {facts.has_changed && (
        <Alert tone="warning" title="The amounts have changed">
          Nothing was refunded. Review the amounts again.
        </Alert>
      )}
      {facts.obstacle && <Alert tone="info">{facts.obstacle}</Alert>}
      <ErrorSummary errors={facts.faults.map(placed)} title="Nothing was refunded" />
      <div class="max-w-xl">
        {quote ? (
          <Preview {...facts} quote={quote} />
        ) : (
          !facts.obstacle && <AmountForm {...facts} />
        )}
      </div>
    </SalesLayout>
  )
}

type RefundPageFacts = Parameters<typeof RefundPage>[0]

function AmountForm({
  form,
  faults,
  left,
  credit,
  csrf_token,
  base,
  invoice,
}: RefundPageFacts): JSX.Element {
  const field = enteredFields(form, faults)
  return (
    <Panel title="Refund amount">
      <Form action={`${base}/sales/${invoice.id}/refund`} csrf_token={csrf_token}>
        <Field
          label="Amount in dollars, tax included"
          {...field('amount')}
          inputmode="decimal"
          autocomplete="off"
          hint={left === undefined ? undefined : `${formatMoney(left)} is refundable.`}
        />
        {credit > 0 && (
          <CheckboxField
            name="credit"
            checked={form.credit}
            error={faultAt(faults, 'credit')}
            label={`Also refund the credit from the previous plan: ${formatMoney(credit)}`}
            hint="This payment was an upgrade. The credit came from an earlier charge, tax included. After a full refund the buyer no longer has the plan it paid for."
          />
        )}
        <Field
          label="Reason"
          {...field('reason')}
          autocomplete="off"
          maxlength={MAX_REASON_LENGTH}
          hint="Shown on the page of this invoice. The buyer does not see it."
        />
        <Actions>
          <Button kind="primary" name="step" value="preview" pending="Calculating…">
            Review refund
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Preview({
  quote,
  form,
  seen,
  csrf_token,
  base,
  invoice,
  as,
}: RefundPageFacts & { quote: QuotedRefund }) {
  const { reversal, cost } = withCredit(quote, form)
  const money = (term: string, amount: Cents) => ({ term, detail: <Money amount={amount} /> })
  const whose = as === 'seller' ? 'your' : 'the seller’s'
  return (
    <Panel title="Review refund">
      <DescriptionList
        items={[
          money('Refund to the buyer', reversal.amount),
          ...(form.credit && quote.credit
            ? [money('Including credit from the previous plan', quote.credit.reversal.amount)]
            : []),
          money('Including sales tax', reversal.tax),
          money('Fee returned', reversal.fee),
          money('Fee not returned', quote.kept),
          money(`Deducted from ${whose} balance`, cost),
        ]}
      />
      <p class="text-sm">
        {quote.ends_license
          ? 'This refunds the latest payment in full. The license is canceled immediately, and its key stops working.'
          : 'The license is not affected.'}
      </p>
      {quote.credit && !form.credit && (
        <Alert tone="warning" title="The previous plan’s credit is not included">
          This payment was an upgrade. The {formatMoney(quote.credit.reversal.amount)} of credit
          that it used, tax included, came from an earlier payment and is not refunded. Go back and
          choose the credit to refund it too.
        </Alert>
      )}
      <Form action={`${base}/sales/${invoice.id}/refund`} csrf_token={csrf_token}>
        <input type="hidden" name="amount" value={form.amount} />
        <input type="hidden" name="reason" value={form.reason} />
        {form.credit && <input type="hidden" name="credit" value="yes" />}
        <input type="hidden" name="seen" value={seen} />
        <Actions>
          <Button kind="danger" name="step" value="confirm" pending="Refunding…">
            Refund {formatMoney(reversal.amount)}
          </Button>
          <Button kind="ghost" href={`${base}/sales/${invoice.id}/`}>
            Cancel
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

/** The refunded amounts and their cost, including the credit if chosen. */
function withCredit(
  { reversal, cost, credit }: QuotedRefund,
  form: RefundForm,
): Pick<QuotedRefund, 'reversal' | 'cost'> {
  if (!form.credit || !credit) return { reversal, cost }
  const { amount, tax, fee } = credit.reversal
  return {
    reversal: {
      amount: sum(reversal.amount, amount),
      tax: sum(reversal.tax, tax),
      fee: sum(reversal.fee, fee),
    },
    cost: sum(cost, credit.cost),
  }
}
