import type { JSX } from 'preact'
import { TextLink } from '#design/actions'
import { Alert } from '#design/feedback'
import { formatMoney, Money } from '#design/money'
import { Pager } from '#design/navigation'
import { EmptyState, Panel } from '#design/panels'
import { RecordRows, RecordTable } from '#design/records'
import type { StaffRole } from '#domain/identity'
import type { Liability } from '#domain/tax'
import { sum } from '#platform/money'
import { counted } from '#platform/text'
import { AdminPage } from './layout.tsx'
import { STATUS } from './tax-status.tsx'
import { monthName } from './tax-summary.ts'

/** The tax due to each state, by month. */
export function TaxPage(facts: {
  role: StaffRole
  home: string
  /** The months of this page. */
  listed: Liability[]
  /** What is owed for other months. */
  owed: Liability[]
  older: string | undefined
  newest: string | undefined
  /** True if tax comes from the built-in table of state rates. */
  state_rates_only: boolean
}): JSX.Element {
  const { home, listed, owed } = facts
  const states = [...new Set(listed.map(({ state }) => state))].sort()
  const months = monthsOf(listed).reverse()
  const cellOf = (month: string, state: string) => {
    const found = listed.find((each) => each.month === month && each.state === state)
    if (!found) return ''
    return (
      <span class="grid justify-items-end gap-1">
        <TextLink href={`${home}${month}/${state}/`}>{formatMoney(found.amount)}</TextLink>
        <span class="text-xs text-muted">{STATUS[found.status][0]}</span>
      </span>
    )
  }
  const dueOf = (month: string) => {
    const due = listed.filter((each) => each.month === month && each.status === 'due')
    return sum(...due.map(({ amount }) => amount))
  }
  return (
    <AdminPage
      {...facts}
      current="tax"
      title="Sales tax"
      intro="Tax collected and filed, by state and month."
    >
      {facts.state_rates_only && (
        <Alert tone="info" title="State rates only">
          The built-in table has state rates only. County and city taxes are not collected: a buyer
          in New York City pays the state’s 4%. For local rates, set TAX_PROVIDER=stripe to use
          Stripe Tax.
        </Alert>
      )}
      <OtherMonths home={home} owed={owed} />
      {listed.length === 0 ? (
        facts.older || facts.newest ? (
          <EmptyState title="No tax in these twelve months" />
        ) : (
          <EmptyState title="No tax yet">Months appear here after the first taxed sale.</EmptyState>
        )
      ) : (
        <RecordTable
          caption="Sales tax by month and state"
          columns={[
            { label: 'Month' },
            { label: 'Due now', numeric: true },
            ...states.map((label) => ({ label, numeric: true })),
          ]}
          rows={months.map((month) => ({
            key: month,
            cells: [
              <TextLink href={`${home}${month}/`}>{monthName(month)}</TextLink>,
              <Money amount={dueOf(month)} />,
              ...states.map((state) => cellOf(month, state)),
            ],
          }))}
        />
      )}
      <Pager label="Pages of months" newest={facts.newest} older={facts.older} />
    </AdminPage>
  )
}

/** Each month once, the earliest first. */
function monthsOf(liabilities: Liability[]): string[] {
  return [...new Set(liabilities.map(({ month }) => month))].sort()
}

/** The months of other pages that are over and not filed: what is owed is on every page. */
function OtherMonths({ home, owed }: { home: string; owed: Liability[] }): JSX.Element | null {
  const over = owed.filter(({ status }) => status !== 'open')
  if (over.length === 0) return null
  return (
    <Panel title="Other months that are not filed">
      <RecordRows
        records={monthsOf(over).map((month) => {
          const states = over.filter((each) => each.month === month)
          return {
            key: month,
            title: monthName(month),
            aside: <Money amount={sum(...states.map(({ amount }) => amount))} />,
            details: [counted(states.length, 'state')],
            link: { label: 'View', href: `${home}${month}/` },
          }
        })}
      />
    </Panel>
  )
}
