import type { JSX } from 'preact'
import { Actions, Button, TextLink } from '#design/actions'
import { Alert, ErrorSummary } from '#design/feedback'
import { Form } from '#design/forms'
import { SiteLayout } from '#design/layout'
import { Day, formatMoney, Money } from '#design/money'
import { PageNav } from '#design/navigation'
import { DescriptionList, Disclosure, EmptyState, Panel } from '#design/panels'
import { RecordTable } from '#design/records'
import { invoiceNumber } from '#domain/billing'
import type { StaffRole } from '#domain/identity'
import { stateName } from '#domain/sellers'
import type { TaxLine } from '#domain/tax'
import { RecordHeader } from '#http/admin-menu'
import type { Paging } from '#http/pagination'
import { cents, sum } from '#platform/money'
import { counted } from '#platform/text'
import { FilingForm } from './filing-form.tsx'
import { Status } from './tax-status.tsx'
import { monthName, percent, type StateSummary } from './tax-summary.ts'

interface LayoutFacts {
  role: StaffRole
  csrf_token: string
  home: string
  done: string | undefined
  /** The initial value of the form's field. */
  filing_reference: string | undefined
}

/** A month by state, with its exports and the filing of all states. */
export function MonthPage(
  facts: LayoutFacts & { month: string; states: StateSummary[]; fault: string | undefined },
): JSX.Element {
  const { home, month, states, fault } = facts
  const path = `${home}${month}/`
  const due = states.filter(({ status }) => status === 'due')
  const total = sum(...due.map(({ amount }) => amount))
  return (
    <SiteLayout title={`Sales tax for ${monthName(month)} · Purser`}>
      <RecordHeader
        current="tax"
        role={facts.role}
        title={`Sales tax for ${monthName(month)}`}
        back={{ label: 'Sales tax', href: home }}
        aside={
          <Form action={`${path}export`} csrf_token={facts.csrf_token}>
            <Actions>
              <Button name="of" value="states" pending="Exporting…">
                Export states (CSV)
              </Button>
              <Button name="of" value="lines" pending="Exporting…">
                Export transactions (CSV)
              </Button>
            </Actions>
          </Form>
        }
      >
        Months are in UTC.
      </RecordHeader>
      <FiledNote done={facts.done} />
      <ErrorSummary errors={fault ? [{ id: 'filing_reference', message: fault }] : []} />
      {states.length === 0 ? (
        <EmptyState title="No sales in this month" />
      ) : (
        <RecordTable
          caption={`States in ${monthName(month)}`}
          columns={[
            { label: 'State' },
            { label: 'Sales', numeric: true },
            { label: 'Not taxed', numeric: true },
            { label: 'Taxed', numeric: true },
            { label: 'Rate', numeric: true },
            { label: 'Tax', numeric: true },
            { label: 'Tax refunded', numeric: true },
            { label: 'Carried over', numeric: true },
            { label: 'Amount due', numeric: true },
            { label: 'Filing status' },
          ]}
          rows={states.map((each) => ({
            key: each.state,
            cells: [
              <TextLink href={`${path}${each.state}/`}>{each.state}</TextLink>,
              <Money amount={each.sales} />,
              <Money amount={each.exempt_sales} />,
              <Money amount={each.taxable_sales} />,
              each.rates.map(percent).join(', '),
              <Money amount={each.charged} />,
              <Money amount={cents(0 - each.relieved)} />,
              <Money amount={each.carried} />,
              <AmountDue {...each} />,
              <Status status={each.status} />,
            ],
          }))}
        />
      )}
      {due.length > 0 && (
        <Panel title={`File ${counted(due.length, 'state')}`}>
          <p class="text-sm">
            {formatMoney(total)} will be recorded as paid. Each filing is stored under the batch
            reference and the state code. File with the states and pay them first: nothing is sent
            from here.
          </p>
          <FilingForm {...facts} path={path} label="Batch reference" button="File and pay all" />
        </Panel>
      )}
    </SiteLayout>
  )
}

/** What is due for a month, and the credit that it leaves. */
function AmountDue({ amount, left }: Pick<StateSummary, 'amount' | 'left'>): JSX.Element {
  if (left === 0) return <Money amount={amount} />
  return (
    <span class="grid justify-items-end gap-1">
      <Money amount={amount} />
      <span class="text-xs text-muted">{formatMoney(left)} to later months</span>
    </span>
  )
}

const KINDS = {
  sale: 'Sale',
  refund: 'Refund',
  dispute_lost: 'Dispute lost',
  appeal_won: 'Appeal won',
} as const

/** A state's month with every line, and its filing. */
export function StateMonthPage(
  facts: LayoutFacts &
    StateSummary & { month: string; rows: TaxLine[]; paging: Paging; fault: string | undefined },
): JSX.Element {
  const { home, month, state, filing, fault } = facts
  const path = `${home}${month}/${state}/`
  const title = `Sales tax for ${stateName(state)}, ${monthName(month)}`
  const amount_title = filing ? 'Amount paid' : 'Amount due'
  return (
    <SiteLayout title={`${title} · Purser`}>
      <RecordHeader
        current="tax"
        role={facts.role}
        title={title}
        back={{ label: monthName(month), href: `${home}${month}/` }}
      >
        Months are in UTC.
      </RecordHeader>
      <FiledNote done={facts.done} />
      <ErrorSummary errors={fault ? [{ id: 'filing_reference', message: fault }] : []} />
      <div class="grid grid-cols-1 items-start gap-5 lg:grid-cols-2">
        <Panel title={amount_title} aside={<Status status={facts.status} />}>
          <DescriptionList
            items={[
              { term: 'Sales before tax', detail: <Money amount={facts.sales} /> },
              { term: 'Not taxed', detail: <Money amount={facts.exempt_sales} /> },
              { term: 'Refunds before tax', detail: <Money amount={cents(0 - facts.refunds)} /> },
              {
                term: 'Taxed part of refunds',
                detail: <Money amount={cents(0 - facts.taxable_refunds)} />,
              },
              { term: 'Tax charged', detail: <Money amount={facts.charged} /> },
              {
                term: 'Tax refunded in this month',
                detail: <Money amount={cents(0 - facts.relieved)} />,
              },
              {
                term: 'Carried over from earlier months',
                detail: <Money amount={facts.carried} />,
              },
              ...(facts.left < 0
                ? [{ term: 'Carried over to later months', detail: <Money amount={facts.left} /> }]
                : []),
              { term: amount_title, detail: <Money amount={facts.amount} /> },
            ]}
          />
        </Panel>
        {filing ? (
          <FiledPanel {...facts} path={path} filing={filing} />
        ) : (
          <Panel title="File">
            {facts.status === 'due' ? (
              <>
                <p class="text-sm">
                  {formatMoney(facts.amount)} will be recorded as paid. File with the state and pay
                  it first: nothing is sent from here.
                </p>
                <FilingForm
                  {...facts}
                  path={path}
                  label="The state’s confirmation number"
                  button="File and pay"
                />
              </>
            ) : (
              <p class="text-sm">{whyNot(facts.status, month)}</p>
            )}
          </Panel>
        )}
      </div>
      <h2 class="-mb-3 text-lg font-semibold">Transactions</h2>
      <RecordTable
        caption={`Transactions in ${state}, ${monthName(month)}`}
        columns={[
          { label: 'Day' },
          { label: 'Type' },
          { label: 'Invoice' },
          { label: 'App' },
          { label: 'ZIP' },
          { label: 'Before tax', numeric: true },
          { label: 'Taxed', numeric: true },
          { label: 'Rate', numeric: true },
          { label: 'Tax', numeric: true },
        ]}
        rows={facts.rows.map((line) => ({
          key: line.transaction_id,
          cells: [
            <Day date={line.at} />,
            KINDS[line.event],
            <TextLink href={`/admin/sales/${line.invoice_id}/`}>
              {invoiceNumber(line.invoice_number)}
            </TextLink>,
            line.app_name,
            line.zip,
            <Money amount={line.amount} />,
            <Money amount={line.taxable} />,
            percent(line.rate_ppm),
            <Money amount={line.tax} />,
          ],
        }))}
      />
      <PageNav label="Pages of lines" {...facts.paging} href={(page) => `${path}?page=${page}`} />
    </SiteLayout>
  )
}

/** A filing, and the form that corrects its confirmation. */
function FiledPanel(
  facts: LayoutFacts & {
    path: string
    filing: NonNullable<StateSummary['filing']>
    fault: string | undefined
  },
): JSX.Element {
  const { filing, path } = facts
  const entered = facts.filing_reference
  return (
    <Panel title="Filed">
      <DescriptionList
        items={[
          { term: 'Confirmation', detail: filing.reference },
          { term: 'Filed on', detail: <Day date={filing.filed_at} /> },
          { term: 'Filed by', detail: filing.filed_by },
        ]}
      />
      <Disclosure summary="Correct the confirmation" open={entered !== undefined}>
        <div class="pt-3">
          <FilingForm
            {...facts}
            filing_reference={entered ?? filing.reference}
            path={`${path}confirmation`}
            label="The state’s confirmation number"
            button="Save confirmation"
            pending="Saving…"
          />
        </div>
      </Disclosure>
    </Panel>
  )
}

function whyNot(status: StateSummary['status'], month: string): string {
  if (status === 'open') return `You can file ${monthName(month)} an hour after it ends.`
  if (status === 'waiting') return 'File the earlier months of this state first.'
  return 'No tax was collected. Nothing is due.'
}

function FiledNote({ done }: { done: string | undefined }): JSX.Element | null {
  if (done === 'filed') return <Alert tone="success">Filed and paid.</Alert>
  if (done === 'corrected') return <Alert tone="success">Confirmation corrected.</Alert>
  if (done === 'unchanged') return <Alert tone="info">The confirmation is unchanged.</Alert>
  if (done === 'already_filed') {
    return (
      <Alert tone="info">
        This month was already filed. The number that you entered was not saved.
      </Alert>
    )
  }
  const count = /^filed_(\d+)$/.exec(done ?? '')?.[1]
  if (count)
    return <Alert tone="success">{`Filed and paid: ${counted(Number(count), 'state')}.`}</Alert>
  return done ? <Alert tone="info">Nothing was filed.</Alert> : null
}
