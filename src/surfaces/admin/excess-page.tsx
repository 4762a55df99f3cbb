import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Field, FieldRow, Form, SelectField } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney, Money } from '#design/money'
import { PageHeader } from '#design/page-header'
import { EmptyState, Panel, RecordRows, Totals } from '#design/panels'
import { invoiceNumber } from '#domain/billing'
import type { StaffRole } from '#domain/identity'
import type { ExcessBuyer, ListedRepayment, RepaymentWay } from '#domain/ledger'
import type { ActionNote } from '#http/action-note'
import { type FormFault, faultAt } from '#http/form-errors'
import type { InvoiceId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { AdminMenu } from './menu.tsx'

/** The longest reference of a repayment, in characters. */
export const MAX_REFERENCE_LENGTH = 80

/** The ways to repay, as the page names them. */
export const WAYS: Record<RepaymentWay, string> = { bank_transfer: 'Bank transfer', check: 'Check' }

/** The fields of the form for a repayment. */
export interface RepaymentForm {
  /** The id under which the form is recorded, so that it is recorded once. */
  repayment_id: string
  amount: string
  way: string
  reference: string
  paid_on: string
}

/** A charge of which a buyer received too much. */
interface ExcessCharge {
  invoice_id: InvoiceId
  number: number
  app_name: string
  balance: Cents
}

interface ExcessPageFacts {
  role: StaffRole
  csrf_token: string
  buyer: ExcessBuyer
  charges: ExcessCharge[]
  repayments: ListedRepayment[]
  form: RepaymentForm
  faults: FormFault[]
  note: ActionNote | undefined
}

/** What a buyer received in excess, and the forms that settle it. */
export function ExcessPage(facts: ExcessPageFacts): JSX.Element {
  const { buyer, note, faults } = facts
  const owes = buyer.amount > 0
  return (
    <SiteLayout
      title={`${faults.length > 0 ? 'Error: ' : ''}Excess of ${buyer.email} · Admin · Purser`}
    >
      <div class="grid grid-cols-1 gap-6">
        <PageHeader title={buyer.email} back={{ label: 'Cases', href: '/admin/cases/#excess' }}>
          {owes
            ? 'Received more than they paid: refunds, payments outside the card, and disputes that a bank decided for them.'
            : 'Owes nothing.'}
        </PageHeader>
        <AdminMenu current="cases" role={facts.role} />
      </div>
      {note && <Alert tone={note.tone}>{note.text}</Alert>}
      <ErrorSummary errors={faults} title="Not recorded" />
      {owes ? (
        <Owed {...facts} />
      ) : (
        <EmptyState title="Settled">Nothing is left to repay.</EmptyState>
      )}
      {facts.repayments.length > 0 && <Repayments {...facts} />}
    </SiteLayout>
  )
}

function Owed(facts: ExcessPageFacts): JSX.Element {
  const { buyer, charges } = facts
  const disputed = cents(Math.min(buyer.amount, buyer.disputed))
  return (
    <>
      <Totals items={[{ term: 'To repay', detail: <Money amount={buyer.amount} /> }]} />
      {disputed > 0 && (
        <Alert tone="warning">
          Open disputes may return {formatMoney(disputed)} of it. Wait for the bank’s decision.
        </Alert>
      )}
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <Charges charges={charges} />
        <Repayment {...facts} />
      </div>
    </>
  )
}

function Charges({ charges }: Pick<ExcessPageFacts, 'charges'>): JSX.Element {
  return (
    <Panel title="Received in excess">
      <RecordRows
        records={charges.map(({ invoice_id, number, app_name, balance }) => ({
          key: invoice_id,
          title: formatMoney(balance),
          details: [`${app_name}, ${invoiceNumber(number)}`],
          action: <TextLink href={`/admin/sales/${invoice_id}/`}>View</TextLink>,
        }))}
      />
    </Panel>
  )
}

function Repayment({ buyer, csrf_token, form, faults }: ExcessPageFacts): JSX.Element {
  return (
    <Panel title="Record a repayment">
      <Form action={`/admin/excess/${buyer.user_id}/repayment`} csrf_token={csrf_token}>
        <input type="hidden" name="repayment_id" value={form.repayment_id} />
        <FieldRow wide>
          <Field
            label="Amount in dollars"
            name="amount"
            inputmode="decimal"
            autocomplete="off"
            value={form.amount}
            error={faultAt(faults, 'amount')}
          />
          <Field
            label="Arrived on"
            name="paid_on"
            type="date"
            value={form.paid_on}
            error={faultAt(faults, 'paid_on')}
          />
        </FieldRow>
        <SelectField
          label="Paid by"
          name="way"
          value={form.way}
          error={faultAt(faults, 'way')}
          options={Object.entries(WAYS).map(([value, label]) => ({ value, label }))}
        />
        <Field
          label="Reference"
          name="reference"
          hint="As on the bank statement."
          autocomplete="off"
          spellcheck={false}
          maxlength={MAX_REFERENCE_LENGTH}
          value={form.reference}
          error={faultAt(faults, 'reference')}
        />
        <p class="text-sm text-muted">
          It is booked to the bank account. The seller’s balance does not change. The buyer’s
          receipt shows it.
        </p>
        <Actions>
          <Button kind="primary" pending="Recording…">
            Record repayment
          </Button>
        </Actions>
      </Form>
    </Panel>
  )
}

function Repayments({ repayments }: ExcessPageFacts): JSX.Element {
  return (
    <Panel title="Repayments">
      <RecordRows
        records={repayments.map(({ id, amount, way, reference, paid_on, email }) => ({
          key: id,
          title: formatMoney(amount),
          details: [<Day date={paid_on} />, `${WAYS[way]}, ${reference}`, `Recorded by ${email}`],
        }))}
      />
    </Panel>
  )
}
