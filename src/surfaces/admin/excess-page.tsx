import type { JSX } from 'preact'
import { Actions, Button } from '#design/actions'
import { Alert, Badge, ErrorSummary, NoteAlert } from '#design/feedback'
import { Field, FieldRow, Form, SelectField } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney, Money } from '#design/money'
import { Pager } from '#design/navigation'
import { Panel, Totals } from '#design/panels'
import { RecordRows } from '#design/records'
import { invoiceNumber } from '#domain/billing'
import type { StaffRole } from '#domain/identity'
import type { ExcessBuyer, ExcessSettlement, RepaymentWay } from '#domain/ledger'
import type { ActionNote } from '#http/action-note'
import { RecordHeader } from '#http/admin-menu'
import { placed } from '#http/field-places'
import { enteredFields, type FormFault } from '#http/form-errors'
import type { ListPage } from '#http/pagination'
import type { InvoiceId, UserId } from '#platform/ids'
import { type Cents, cents } from '#platform/money'
import { type FilledForm, StaffAction } from './staff-action.tsx'

/** The page of a buyer who received too much. */
export const excessPath = (user_id: UserId) => `/admin/excess/${user_id}/`

/** The longest reference of a repayment, in characters. */
export const MAX_REFERENCE_LENGTH = 80

/** The ways to repay, as the page names them. */
export const WAYS: Record<RepaymentWay, string> = { bank_transfer: 'Bank transfer', check: 'Check' }

const KINDS: Record<ExcessSettlement['kind'], string> = {
  repaid: 'Repaid',
  written_off: 'Written off',
  reversed: 'Write-off reversed',
}

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
  settlements: ListPage<ExcessSettlement>
  form: RepaymentForm
  faults: FormFault[]
  filled: FilledForm | undefined
  note: ActionNote | undefined
}

/** What a buyer received in excess, and the forms that settle it. */
export function ExcessPage(facts: ExcessPageFacts): JSX.Element {
  const { buyer, note, faults } = facts
  const owes = buyer.amount > 0
  return (
    <SiteLayout
      title={`Excess of ${buyer.email} · Admin · Purser`}
      has_error={faults.length > 0 || facts.filled?.is_refused}
    >
      <RecordHeader
        current="cases"
        role={facts.role}
        title={buyer.email}
        back={{ label: 'Cases', href: '/admin/cases/#excess' }}
      >
        {owes
          ? 'Received more than they paid: refunds, payments outside the card, and disputes that a bank decided for them.'
          : 'Owes nothing.'}
      </RecordHeader>
      <NoteAlert note={note} />
      <ErrorSummary errors={faults.map(placed)} title="Not recorded" />
      {owes && <Owed {...facts} />}
      {facts.settlements.rows.length > 0 && <Settlements {...facts} />}
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
        <div class="grid grid-cols-1 gap-5">
          <Repayment {...facts} />
          <WriteOff {...facts} />
        </div>
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
          link: { label: 'View', href: `/admin/sales/${invoice_id}/` },
        }))}
      />
    </Panel>
  )
}

function Repayment({ buyer, csrf_token, form, faults }: ExcessPageFacts): JSX.Element {
  const field = enteredFields(form, faults)
  return (
    <Panel title="Record a repayment">
      <Form action={`${excessPath(buyer.user_id)}repayment`} csrf_token={csrf_token}>
        <input type="hidden" name="repayment_id" value={form.repayment_id} />
        <FieldRow wide>
          <Field
            label="Amount in dollars"
            {...field('amount')}
            inputmode="decimal"
            autocomplete="off"
          />
          <Field label="Arrived on" {...field('paid_on')} type="date" />
        </FieldRow>
        <SelectField
          label="Paid by"
          {...field('way')}
          options={Object.entries(WAYS).map(([value, label]) => ({ value, label }))}
        />
        <Field
          label="Reference"
          {...field('reference')}
          hint="As on the bank statement."
          autocomplete="off"
          spellcheck={false}
          maxlength={MAX_REFERENCE_LENGTH}
        />
        <p class="text-sm text-muted">
          It is booked to the bank account. The seller’s balance does not change. The buyer’s
          receipt shows it, and they are emailed.
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

function WriteOff({ buyer, csrf_token, filled }: ExcessPageFacts): JSX.Element {
  const { user_id, amount } = buyer
  return (
    <Panel title="Write off">
      <p class="mb-4 text-sm text-muted">
        The buyer keeps {formatMoney(amount)}, and it is booked as a loss. Their receipt says that
        it was waived, and they are emailed. If their bank takes it back later, the write-off is
        reversed.
      </p>
      <StaffAction
        csrf_token={csrf_token}
        path={`excess/${user_id}/write-off`}
        fields={{ user_id, seen: String(amount) }}
        id="write-off-reason"
        label="Write off"
        filled={filled}
      />
    </Panel>
  )
}

function Settlements({ settlements }: ExcessPageFacts): JSX.Element {
  return (
    <Panel id="history" title="History">
      <RecordRows
        records={settlements.rows.map(({ id, kind, amount, way, text, at, email }) => ({
          key: id,
          title: formatMoney(amount),
          aside: <Badge>{KINDS[kind]}</Badge>,
          details: [
            <Day date={at} />,
            ...(text ? [way ? `${WAYS[way]}, ${text}` : text] : []),
            ...(email ? [`Recorded by ${email}`] : []),
          ],
        }))}
      />
      <Pager {...settlements} label="Pages of the history" />
    </Panel>
  )
}
